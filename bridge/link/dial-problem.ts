// Owns the errors for failed dials: what happened, where, and what to do. Pure.

import { findSystemCode } from "../errors.ts";

export interface DialProblem {
  readonly reason: string;
  readonly hint?: string;
  /** Whether redialling would fail in the same way. */
  readonly isPermanent: boolean;
}

/** How far a dial got. */
export interface DialProgress {
  /** The relay's host and port. */
  readonly host: string;
  /** The proxy's address without credentials; undefined without a proxy. */
  readonly proxy: string | undefined;
  /** The proxy's status for CONNECT; undefined until it answered. */
  readonly proxyStatus: number | undefined;
}

const UNTRUSTED_CA_CODES = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_UNTRUSTED",
]);

const UNREACHABLE_CODES = new Set([
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
export function toDialProblem(error: Error, progress: DialProgress): DialProblem {
  const code = findSystemCode(error) ?? "";
  const { proxy, host } = progress;
  const toProxy = proxy !== undefined && progress.proxyStatus === undefined;
  const server = toProxy ? `the proxy ${proxy}` : host;
  const certificate = findCertificateProblem(code, server);
  if (certificate !== undefined) return certificate;
  if (!toProxy) return { reason: error.message, isPermanent: false };
  // The proxy agent has its own error texts for a proxy that hangs up.
  const what = UNREACHABLE_CODES.has(code) ? "cannot be reached" : "did not answer as a proxy does";
  return {
    reason: `${server} ${what}: ${error.message}`,
    hint: `Is HTTPS_PROXY (or ALL_PROXY) right? ${formatProxyBypass(host)}`,
    isPermanent: false,
  };
}

/** Returns the problem for a proxy that answered CONNECT with a status other than 200. */
export function toProxyProblem(status: number, proxy: string, host: string): DialProblem {
  if (status === 407) {
    return {
      reason: `the proxy ${proxy} asks for a user name and password, or refused yours (407)`,
      hint: "Write them into the variable: HTTPS_PROXY=http://user:password@host:port, with special characters percent-encoded.",
      isPermanent: true,
    };
  }
  if (status === 403) {
    return {
      reason: `the proxy ${proxy} does not allow connections to ${host} (403)`,
      hint: `Ask its administrator to allow CONNECT to ${host}. ${formatProxyBypass(host)}`,
      isPermanent: true,
    };
  }
  return {
    reason: `the proxy ${proxy} could not connect to ${host} (${status})`,
    hint: `Is the relay's address right as seen from the proxy? ${formatProxyBypass(host)}`,
    isPermanent: false,
  };
}

function findCertificateProblem(code: string, server: string): DialProblem | undefined {
  if (UNTRUSTED_CA_CODES.has(code)) {
    return {
      reason: `the certificate of ${server} is not signed by a CA this machine trusts (${code})`,
      hint: "Set NODE_EXTRA_CA_CERTS (or --ca) to the file with your CA's certificate, in PEM.",
      isPermanent: true,
    };
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return {
      reason: `the certificate of ${server} is ${code === "CERT_HAS_EXPIRED" ? "expired" : "not valid yet"}`,
      hint: "Is this machine's clock right? If it is, the certificate must be renewed.",
      isPermanent: true,
    };
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return {
      reason: `the certificate of ${server} is for another name`,
      hint: "Use the name that the certificate has, or have it issued for this one.",
      isPermanent: true,
    };
  }
  return undefined;
}

function formatProxyBypass(host: string): string {
  return `NO_PROXY=${host.replace(/:\d+$/, "")} bypasses it.`;
}
