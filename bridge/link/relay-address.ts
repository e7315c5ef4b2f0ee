// Owns interpreting a relay's URL: where to dial, which origin the hello is signed for, and whether
// the address is allowed.

import { workspacePath } from "../../protocol/workspace.ts";
import { ExitCode, UserError } from "../errors.ts";

export interface RelayAddress {
  /** The http(s) origin, as shown to people and as signed in the hello. */
  readonly origin: string;
  readonly loopback: boolean;
  readonly secure: boolean;
}

/** Hint for a malformed relay address. */
export const RELAY_ADDRESS_HINT =
  "Write its whole origin, with https:// and without a path: https://relay.example.com.";

/**
 * The only form that may omit the scheme: a bare word is likely a typo, and IP addresses rarely
 * have TLS.
 */
const DOMAIN_NAME = /^[a-z\d-]+(\.[a-z\d-]+)*\.[a-z]{2,}(:\d+)?$/i;

const LOOPBACK_HOSTS = new Set(["127.0.0.1", "localhost", "[::1]"]);

export function parseRelayAddress(text: string, insecure: boolean): RelayAddress {
  const url = parseUrl(text);
  const secure = url.protocol === "https:" || url.protocol === "wss:";
  const loopback = LOOPBACK_HOSTS.has(url.hostname);
  if (!secure && !loopback && !insecure) {
    throw new UserError(
      `${text} is not encrypted: anyone on the way could read and type into your terminals`,
      ExitCode.usage,
      "Use https://, or add --insecure if you know the network.",
    );
  }
  return { origin: `${secure ? "https" : "http"}://${url.host}`, loopback, secure };
}

/**
 * Returns the origins at which browsers reach this relay. A loopback relay has one for each spelling
 * of this machine, since people type `localhost` where pairpty printed 127.0.0.1.
 */
export function listOrigins({ origin, loopback }: RelayAddress): string[] {
  if (!loopback) return [origin];
  const { protocol, port } = new URL(origin);
  const suffix = port === "" ? "" : `:${port}`;
  const spellings = [...LOOPBACK_HOSTS].map((host) => `${protocol}//${host}${suffix}`);
  return [origin, ...spellings.filter((other) => other !== origin)];
}

/** Returns `ws(s)://host/path` on the same relay. */
export function socketUrl(address: RelayAddress, path: string): string {
  return `${address.origin.replace(/^http/, "ws")}${path}`;
}

export function linkUrl(address: RelayAddress, workspace: string): string {
  return socketUrl(address, workspacePath(workspace, "/bridge"));
}

function parseUrl(text: string): URL {
  const known = new Set(["http:", "https:", "ws:", "wss:"]);
  try {
    const url = new URL(DOMAIN_NAME.test(text) ? `https://${text}` : text);
    const plain = url.pathname === "/" && url.search === "" && url.hash === "";
    if (known.has(url.protocol) && plain && url.username === "") return url;
  } catch {
    // Not a URL: reported below.
  }
  throw new UserError(`${text} is not a relay's address`, ExitCode.usage, RELAY_ADDRESS_HINT);
}
