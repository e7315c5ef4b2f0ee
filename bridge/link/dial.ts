// Owns one dial over a route: the socket's options, and how far the dial got.

import { connect, isIP } from "node:net";
import type { PeerCertificate } from "node:tls";
import { checkServerIdentity } from "node:tls";
import type { ClientOptions } from "ws";
import type { RelayAddress } from "./relay-address.ts";
import type { DialProgress } from "./dial-problem.ts";
import type { DialRoute } from "./dial-route.ts";

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
