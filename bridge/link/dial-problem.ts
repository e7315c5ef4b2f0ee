// Owns the errors for failed dials: what happened, where, and what to do. Pure.

import { systemCode } from "../errors.ts";

export interface DialProblem {
  readonly reason: string;
  readonly hint?: string;
  /** Redialling would fail in the same way. */
  readonly hopeless: boolean;
}

/** How far a dial got. */
export interface Dialled {
  /** The relay's host and port. */
  readonly host: string;
  /** The proxy's address without credentials; undefined without a proxy. */
  readonly proxy: string | undefined;
  /** The proxy's status for CONNECT; undefined until it answered. */
  readonly answer: number | undefined;
}

const UNKNOWN_AUTHORITY = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_UNTRUSTED",
]);

const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EPIPE",
]);

/** Returns the problem for an error before the socket opened. */
export function dialError(error: Error, dialled: Dialled): DialProblem {
  const code = systemCode(error) ?? "";
  const { proxy, host } = dialled;
  const toProxy = proxy !== undefined && dialled.answer === undefined;
  const whose = toProxy ? `the proxy ${proxy}` : host;
  const certificate = certificateProblem(code, whose);
  if (certificate !== undefined) return certificate;
  if (!toProxy) return { reason: error.message, hopeless: false };
  // The proxy agent has its own error texts for a proxy that hangs up.
  const what = UNREACHABLE.has(code) ? "cannot be reached" : "did not answer as a proxy does";
  return {
    reason: `${whose} ${what}: ${error.message}`,
    hint: `Is HTTPS_PROXY (or ALL_PROXY) right? ${roundIt(host)}`,
    hopeless: false,
  };
}

/** Returns the problem for a proxy that answered CONNECT with a status other than 200. */
export function proxyRefusal(status: number, proxy: string, host: string): DialProblem {
  if (status === 407) {
    return {
      reason: `the proxy ${proxy} asks for a user name and password, or refused yours (407)`,
      hint: "Write them into the variable: HTTPS_PROXY=http://user:password@host:port, with special characters percent-encoded.",
      hopeless: true,
    };
  }
  if (status === 403) {
    return {
      reason: `the proxy ${proxy} does not allow connections to ${host} (403)`,
      hint: `Ask its administrator to allow CONNECT to ${host}. ${roundIt(host)}`,
      hopeless: true,
    };
  }
  return {
    reason: `the proxy ${proxy} could not connect to ${host} (${status})`,
    hint: `Is the relay's address right as seen from the proxy? ${roundIt(host)}`,
    hopeless: false,
  };
}

function certificateProblem(code: string, whose: string): DialProblem | undefined {
  if (UNKNOWN_AUTHORITY.has(code)) {
    return {
      reason: `the certificate of ${whose} is not signed by a CA this machine trusts (${code})`,
      hint: "Set NODE_EXTRA_CA_CERTS (or --ca) to the file with your CA's certificate, in PEM.",
      hopeless: true,
    };
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return {
      reason: `the certificate of ${whose} is ${code === "CERT_HAS_EXPIRED" ? "expired" : "not valid yet"}`,
      hint: "Is this machine's clock right? If it is, the certificate must be renewed.",
      hopeless: true,
    };
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return {
      reason: `the certificate of ${whose} is for another name`,
      hint: "Use the name that the certificate has, or have it issued for this one.",
      hopeless: true,
    };
  }
  return undefined;
}

function roundIt(host: string): string {
  return `NO_PROXY=${host.replace(/:\d+$/, "")} bypasses it.`;
}
