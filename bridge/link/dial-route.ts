// Owns how a dial reaches the relay: directly or through a proxy from the environment, and which
// CAs are trusted. Loads proxy code only when a proxy applies. Also owns one dial over a route: the
// socket's options, and how far the dial got. And the choice between the local relay's Unix socket
// and its port for a dial.

import { readFileSync, existsSync } from "node:fs";
import type { Agent } from "node:http";
import { connect, isIP } from "node:net";
import type { PeerCertificate } from "node:tls";
import { rootCertificates, checkServerIdentity } from "node:tls";
import type { ClientOptions } from "ws";
import { ExitCode, errorMessage, UserError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { DialProgress } from "./dial-problem.ts";
import type { RelayAddress } from "./relay-address.ts";

export interface DialRoute {
  readonly proxy: DialProxy | undefined;
  /** CA certificates; undefined for Node's defaults, including NODE_EXTRA_CA_CERTS. */
  readonly ca: readonly string[] | undefined;
  /** Unix socket of a relay on this machine. */
  readonly socket?: LinkSocket;
}

export interface DialProxy {
  /** The proxy's address without credentials. */
  readonly displayAddress: string;
  /** Returns one dial's agent. `onAnswer` gets the proxy's status; `signal` aborts before that. */
  createAgent(onAnswer: (status: number) => void, signal: AbortSignal): Agent;
}

export const DIRECT: DialRoute = { proxy: undefined, ca: undefined };

/** Returns the route to a relay. Throws if the user's proxy or CA file (--ca) is unusable. */
export async function resolveRoute(
  address: RelayAddress,
  environment: NodeJS.ProcessEnv,
  caFile: string | undefined,
  log: Log,
): Promise<DialRoute> {
  const ca = address.secure ? loadTrustedCas(environment, caFile, log) : undefined;
  const url = await findProxy(address, environment);
  if (url === undefined) return { proxy: undefined, ca };
  const { HttpsProxyAgent } = await import("https-proxy-agent");
  const displayAddress = formatProxy(url);
  log.info(`the link goes through the proxy ${displayAddress}`);
  return {
    ca,
    proxy: {
      displayAddress,
      createAgent: (onAnswer, signal) => {
        const agent = new HttpsProxyAgent(url, {
          signal,
          ...(ca === undefined ? {} : { ca: [...ca] }),
        });
        agent.on("proxyConnect", ({ statusCode }: { statusCode: number }) => onAnswer(statusCode));
        return agent;
      },
    },
  };
}

/**
 * Returns the proxy for an address, or undefined for a direct connection. Loopback never goes
 * through a proxy: that would be the proxy's own loopback.
 */
export async function findProxy(
  address: RelayAddress,
  environment: NodeJS.ProcessEnv,
): Promise<URL | undefined> {
  if (address.loopback) return undefined;
  const named = findProxyVariable(address, environment);
  if (named === undefined) return undefined;
  const { getProxyForUrl } = await import("proxy-from-env");
  if (getProxyForUrl(address.origin) === "") return undefined;
  const { variable, value } = named;
  // A bare host and port means plain HTTP, as in other programs.
  const url = parse(value.includes("://") ? value : `http://${value}`);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new UserError(
    `${variable} names a proxy that pairpty cannot use: ${url === undefined ? "it is not an address" : formatProxy(url)}`,
    ExitCode.usage,
    `Set it to http://host:port or https://host:port, or NO_PROXY=${new URL(address.origin).hostname} to bypass it.`,
  );
}

/** Finds the variable that proxy-from-env would use, in the same order. */
function findProxyVariable(
  address: RelayAddress,
  environment: NodeJS.ProcessEnv,
): { variable: string; value: string } | undefined {
  const scheme = address.secure ? "https_proxy" : "http_proxy";
  for (const name of [scheme, "all_proxy"]) {
    for (const variable of [name, name.toUpperCase()]) {
      const value = environment[variable];
      if (value !== undefined && value !== "") return { variable, value };
    }
  }
  return undefined;
}

export function formatProxy({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}

/** Returns Node's CAs together with the user's: passing CAs to Node replaces its own. */
function loadTrustedCas(
  environment: NodeJS.ProcessEnv,
  caFile: string | undefined,
  log: Log,
): string[] | undefined {
  const own = caFile === undefined ? undefined : readCertificates(caFile);
  if (own?.ok === false) {
    throw new UserError(
      `--ca: ${own.error}`,
      ExitCode.usage,
      "Give a file of certificates in PEM, as your administrator provides it.",
    );
  }
  const named = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"].map((name) => {
    const path = environment[name];
    const found = path === undefined || path === "" ? undefined : readCertificates(path);
    if (found?.ok === false) log.warn(`${name}: ${found.error}; continuing without it`);
    return found?.ok === true ? found.text : undefined;
  });
  const [system, extra] = named;
  // Node has loaded NODE_EXTRA_CA_CERTS itself.
  if (own === undefined && system === undefined) return undefined;
  return [...rootCertificates, extra, system, own?.text].filter((text) => text !== undefined);
}

export function readCertificates(
  path: string,
): { ok: true; text: string } | { ok: false; error: string } {
  try {
    const text = readFileSync(path, "utf8");
    if (text.includes("-----BEGIN CERTIFICATE-----")) return { ok: true, text };
    return { ok: false, error: `${path} has no certificate in it` };
  } catch (error) {
    return { ok: false, error: `${path} cannot be read: ${errorMessage(error)}` };
  }
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

export const PROXY_CONNECTED = 200;

export interface Dial {
  readonly options: ClientOptions;
  getProgress(): DialProgress;
  /** Aborts a dial that the proxy has not answered; call it when the socket closes. */
  abort(): void;
}

export function createDial(address: RelayAddress, { proxy, ca, socket }: DialRoute): Dial {
  const { host } = new URL(address.origin);
  const aborting = new AbortController();
  let proxyStatus: number | undefined;
  const path = socket?.getDialPath();
  const agent = proxy?.createAgent((status) => {
    proxyStatus = status;
  }, aborting.signal);
  return {
    options: {
      ...(agent === undefined ? {} : { agent, ...toIpCertificateCheck(address) }),
      ...(ca === undefined ? {} : { ca: [...ca] }),
      ...(path === undefined ? {} : { createConnection: () => connect(path) }),
    },
    getProgress: () => ({ host, proxy: proxy?.displayAddress, proxyStatus: proxyStatus }),
    // After the proxy's answer the WebSocket owns the connection and ends it.
    abort: () => (proxyStatus === undefined ? aborting.abort() : undefined),
  };
}

/**
 * Returns options that check the certificate against the relay's IP address: the proxy agent drops
 * an IP as the server name and would check it against "localhost".
 */
function toIpCertificateCheck(address: RelayAddress): ClientOptions {
  const name = new URL(address.origin).hostname.replace(/^\[|\]$/g, "");
  if (isIP(name) === 0) return {};
  const check = (_name: string, certificate: PeerCertificate) =>
    checkServerIdentity(name, certificate);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ws types it as the answer, tls wants the error
  return { checkServerIdentity: check } as unknown as ClientOptions;
}

/**
 * Failed dials in a row before falling back to the port. A restarting relay opens its port a moment
 * before its socket; after this many the socket file must have been removed.
 */
const MAX_MISSED_DIALS = 5;

export class LinkSocket {
  readonly #path: string;
  #existed = false;
  #missed = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the socket's path for the next dial; undefined to use the port. */
  getDialPath(): string | undefined {
    if (existsSync(this.#path)) {
      this.#existed = true;
      this.#missed = 0;
      return this.#path;
    }
    if (!this.#existed || this.#missed >= MAX_MISSED_DIALS) return undefined;
    this.#missed += 1;
    return this.#path;
  }
}
