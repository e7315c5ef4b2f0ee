// Owns which headers pass: those on every answer, and those of requests and answers that go through
// the tunnel. Pure.

/** 'unsafe-inline' styles: xterm.js loses colours and fonts without them. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const SECURITY_HEADERS: ReadonlyArray<readonly [string, string]> = [
  ["content-security-policy", CONTENT_SECURITY_POLICY],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["permissions-policy", "camera=(), geolocation=(), microphone=()"],
];

const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Secrets, and lengths and encodings, which each hop sets for itself. */
const NOT_FOR_THE_BRIDGE = new Set([
  ...HOP_BY_HOP,
  "accept-encoding",
  "authorization",
  "content-length",
  "cookie",
  "expect",
  "forwarded",
  "host",
]);
const NOT_FOR_THE_BRIDGE_PREFIXES = ["x-partykit-", "mf-", "cf-", "sec-websocket-", "x-forwarded-"];

const NOT_FOR_THE_CLIENT = new Set([...HOP_BY_HOP, "content-length", "set-cookie"]);

export function filterForBridge(headers: Iterable<[string, string]>): [string, string][] {
  return Array.from(headers).filter(
    ([name]) =>
      !NOT_FOR_THE_BRIDGE.has(name) &&
      !NOT_FOR_THE_BRIDGE_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );
}

export function filterForClient(headers: readonly [string, string][]): [string, string][] {
  return headers.filter(([name]) => !NOT_FOR_THE_CLIENT.has(name.toLowerCase()));
}

/** Returns the answer with the security headers set. `cors` is an origin on the allow-list. */
export function withSecurityHeaders(response: Response, cors?: string): Response {
  const answer = new Response(response.body, response);
  for (const [name, value] of SECURITY_HEADERS) answer.headers.set(name, value);
  for (const [name] of response.headers) {
    if (name.startsWith("access-control-") || name.startsWith("pairpty-")) {
      answer.headers.delete(name);
    }
  }
  if (cors === undefined) return answer;
  answer.headers.set("access-control-allow-origin", cors);
  answer.headers.set("access-control-expose-headers", "mcp-session-id, retry-after");
  answer.headers.append("vary", "Origin");
  return answer;
}

/** Answers the CORS preflight of a page on the allow-list. */
export function preflight(cors: string): Response {
  const response = withSecurityHeaders(new Response(null, { status: 204 }), cors);
  response.headers.set("access-control-allow-methods", "GET, HEAD, POST, PUT, PATCH, DELETE");
  response.headers.set(
    "access-control-allow-headers",
    "authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, x-pairpty-device, x-session-id",
  );
  response.headers.set("access-control-max-age", "600");
  return response;
}
