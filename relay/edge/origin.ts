// Owns which requests are allowed at all, by Host and Origin. Pure. Uses the Host header and never
// the URL: proxies in front of a Worker may rewrite the URL, and clients can make them do so.

export interface OriginRules {
  /** Set only on loopback. */
  readonly loopbackPort: string | undefined;
  /** The tunnel's host name, for a loopback relay behind a tunnel; empty until it is known. */
  readonly tunnelHost?: string | undefined;
  /** Other origins that may use the relay; only for a public relay. */
  readonly allowed: readonly string[];
}

export type OriginVerdict =
  /** `cors` is the foreign origin that may read the answer. */
  { readonly ok: true; readonly cors?: string } | { readonly ok: false; readonly error: string };

const FOREIGN_ORIGIN: OriginVerdict = {
  ok: false,
  error: "Pages of another origin may not use this relay.",
};

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];
const HTTP_PORT = "80";

export function parseAllowedOrigins(list: string | undefined): string[] {
  return (list ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

export function judgeOrigin(
  rules: OriginRules,
  host: string | null,
  origin: string | null,
): OriginVerdict {
  if (host === null || host === "") return { ok: false, error: "The request has no Host." };
  return rules.loopbackPort === undefined
    ? judgePublic(rules.allowed, host, origin)
    : judgeLoopback(rules.loopbackPort, rules.tunnelHost, host, origin);
}

/**
 * Judges a request on loopback. A web page can make a browser connect to our port, but it cannot
 * change these two headers.
 */
function judgeLoopback(
  port: string,
  tunnelHost: string | undefined,
  host: string,
  origin: string | null,
): OriginVerdict {
  if (tunnelHost && host.toLowerCase() === tunnelHost) {
    // A tunnel's public address is https, even if it connects to us over http.
    return origin === null || origin === `https://${tunnelHost}` ? { ok: true } : FOREIGN_ORIGIN;
  }
  const suffix = port === HTTP_PORT ? "" : `:${port}`;
  if (!LOOPBACK_NAMES.some((name) => host === name + suffix)) {
    return { ok: false, error: "This relay answers only to a loopback address with its port." };
  }
  return origin === null || origin === `http://${host}` ? { ok: true } : FOREIGN_ORIGIN;
}

function judgePublic(
  allowed: readonly string[],
  host: string,
  origin: string | null,
): OriginVerdict {
  if (origin === null) return { ok: true };
  if (allowed.includes(origin)) return { ok: true, cors: origin };
  return findHost(origin) === host ? { ok: true } : FOREIGN_ORIGIN;
}

/** Returns an origin's host, with a port that is not the default; undefined if invalid. */
export function findHost(origin: string): string | undefined {
  try {
    const url = new URL(origin);
    return url.protocol === "https:" || url.protocol === "http:" ? url.host : undefined;
  } catch {
    return undefined;
  }
}
