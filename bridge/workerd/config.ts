// Owns workerd's configuration for a relay, as text: the same Worker, date, flags and bindings as
// wrangler.toml, with the page and the rooms in folders. Pure.

import { ROOMS_KEY } from "../../protocol/workspace.ts";

export interface RelayPlan {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** The built page. */
  readonly web: string;
  /** Where rooms keep their claim and grants. */
  readonly data: string;
  /** For this machine alone: the loopback rules hold, and no key is needed. */
  readonly loopback: boolean;
  /** A tunnel leads here: the host it is asked by, "" until that is known. Then claims need a key. */
  readonly tunnelHost?: string | undefined;
  /** A local socket for the bridge beside the port: half the cost of a byte by loopback. */
  readonly linkSocket?: string;
  /** Origins beside the relay's own whose pages may use it. */
  readonly allowedOrigins: readonly string[];
}

/** The built Worker, beside the configuration: workerd embeds nothing from elsewhere. */
export const WORKER_FILE = "worker.js";

/** Not later than the pinned workerd knows. */
export const COMPATIBILITY_DATE = "2026-04-26";
/** See wrangler.toml for why. */
export const COMPATIBILITY_FLAGS = ["enable_request_signal", "no_web_socket_compression"];
/**
 * A request leaves some 15 KB outside the heap that only a full collection frees, and V8 sees no
 * reason for one: the heap itself stays at 2 MB. So every collection is full, 3 ms of work each 300
 * requests; without that workerd holds 300 MB after an hour of use instead of 100. A smaller young
 * space holds 20 MB less and costs a tenth of a crowded room's speed.
 */
const V8_FLAGS = ["--gc-global", "--min-semi-space-size=8", "--max-semi-space-size=8"];

export function relayConfig(plan: RelayPlan): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "relay", worker = .relay),
    (name = "page", disk = (path = ${quote(plan.web)}, writable = false)),
    (name = "rooms", disk = (path = ${quote(plan.data)}, writable = true)),
    # For a look whether a room is there: to wake one that is not writes a file.
    (name = "room-files", disk = (path = ${quote(plan.data)}, writable = false)),
    # The Worker asks nobody on the network, and could not.
    (name = "internet", network = (allow = [])),
  ],
  sockets = [
${socketsOf(plan)
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
${bindings(plan)}
  ],
  durableObjectNamespaces = [
    (className = "WorkspaceRoom", uniqueKey = "${ROOMS_KEY}", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "rooms"),
);
`;
}

/** Name and address of each socket that is listened on. */
export function socketsOf(plan: RelayPlan): [name: string, address: string][] {
  const http: [string, string] = ["http", socketAddress(plan)];
  return plan.linkSocket === undefined ? [http] : [http, ["link", `unix:${plan.linkSocket}`]];
}

function bindings({ loopback, tunnelHost, port, allowedOrigins }: RelayPlan): string {
  // By the environment: a secret in a file would outlive the process.
  const key = `    (name = "RELAY_KEY", fromEnvironment = "RELAY_KEY"),`;
  if (!loopback) {
    return `${key}
    (name = "ALLOWED_ORIGINS", text = ${quote(allowedOrigins.join(","))}),`;
  }
  const here = `    (name = "LOOPBACK_PORT", text = "${port}"),`;
  if (tunnelHost === undefined) return here;
  return `${here}
${key}
    (name = "TUNNEL_HOST", text = ${quote(tunnelHost)}),`;
}

function socketAddress({ host, port }: RelayPlan): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A string of Cap'n Proto's text form. */
function quote(text: string): string {
  const escaped = text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- these are what has to be escaped
    /["\\\u0000-\u001f\u007f]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return `"${escaped}"`;
}
