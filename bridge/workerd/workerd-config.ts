// Generates workerd's configuration for a relay: the same Worker, date, flags and bindings as
// wrangler.toml, with page and rooms in folders. Pure.

import { ROOMS_KEY } from "../../protocol/workspace.ts";

export interface RelayPlan {
  /** A host name or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Folder of the built page. */
  readonly web: string;
  /** Folder where rooms store their claim and grants. */
  readonly data: string;
  /** Set for a relay of this machine only: the loopback rules apply, and no key is needed. */
  readonly loopback: boolean;
  /**
   * The tunnel's host name, "" until it is known; undefined without a tunnel. With it, claims need a
   * key.
   */
  readonly tunnelHost?: string | undefined;
  /** A unix socket for the bridge: half the cost per byte of loopback TCP. */
  readonly linkSocket?: string;
  /** Origins beside the relay's own whose pages may use it. */
  readonly allowedOrigins: readonly string[];
}

/** The built Worker, beside the configuration: workerd embeds only files from there. */
export const WORKER_FILE = "worker.js";

/** At most the newest date that the pinned workerd knows. */
export const COMPATIBILITY_DATE = "2026-04-26";
/** See wrangler.toml for why. */
export const COMPATIBILITY_FLAGS = ["enable_request_signal", "no_web_socket_compression"];
/**
 * A request leaves about 15 KB outside the heap that only a full collection frees, and V8 sees no
 * reason for one while the heap stays at 2 MB. With full collections (3 ms per 300 requests) workerd
 * holds 100 MB after an hour of use instead of 300. A smaller young space would save 20 MB and cost a
 * tenth of a crowded room's speed.
 */
const V8_FLAGS = ["--gc-global", "--min-semi-space-size=8", "--max-semi-space-size=8"];

export function formatRelayConfig(plan: RelayPlan): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "relay", worker = .relay),
    (name = "page", disk = (path = ${quote(plan.web)}, writable = false)),
    (name = "rooms", disk = (path = ${quote(plan.data)}, writable = true)),
    # To check whether a room exists: waking one that does not would write a file.
    (name = "room-files", disk = (path = ${quote(plan.data)}, writable = false)),
    # The Worker makes no requests of its own, and cannot.
    (name = "internet", network = (allow = [])),
  ],
  sockets = [
${listSockets(plan)
  .map(
    ([name, address]) =>
      `    (name = "${name}", address = ${quote(address)}, http = (), service = "relay"),`,
  )
  .join("\n")}
  ],
  v8Flags = [${V8_FLAGS.map(quote).join(", ")}],
);
const relay :Workerd.Worker = (
  modules = [(name = "${WORKER_FILE}", esModule = embed "${WORKER_FILE}")],
  compatibilityDate = "${COMPATIBILITY_DATE}",
  compatibilityFlags = [${COMPATIBILITY_FLAGS.map(quote).join(", ")}],
  bindings = [
    (name = "WORKSPACE", durableObjectNamespace = "WorkspaceRoom"),
    (name = "FILES", service = "page"),
    (name = "ROOM_FILES", service = "room-files"),
${formatBindings(plan)}
  ],
  durableObjectNamespaces = [
    (className = "WorkspaceRoom", uniqueKey = "${ROOMS_KEY}", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "rooms"),
);
`;
}

/** Returns name and address of each listening socket. */
export function listSockets(plan: RelayPlan): [name: string, address: string][] {
  const http: [string, string] = ["http", formatSocketAddress(plan)];
  return plan.linkSocket === undefined ? [http] : [http, ["link", `unix:${plan.linkSocket}`]];
}

function formatBindings({ loopback, tunnelHost, port, allowedOrigins }: RelayPlan): string {
  // Read from the environment: a secret in a file would outlive the process.
  const key = `    (name = "RELAY_KEY", fromEnvironment = "RELAY_KEY"),`;
  if (!loopback) {
    return `${key}
    (name = "ALLOWED_ORIGINS", text = ${quote(allowedOrigins.join(","))}),`;
  }
  const loopbackBinding = `    (name = "LOOPBACK_PORT", text = "${port}"),`;
  if (tunnelHost === undefined) return loopbackBinding;
  return `${loopbackBinding}
${key}
    (name = "TUNNEL_HOST", text = ${quote(tunnelHost)}),`;
}

function formatSocketAddress({ host, port }: RelayPlan): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Returns a string literal of Cap'n Proto's text format. */
function quote(text: string): string {
  const escaped = text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- these are what has to be escaped
    /["\\\u0000-\u001f\u007f]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return `"${escaped}"`;
}
