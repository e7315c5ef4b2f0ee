// Owns one dial over a route: the socket's options, and how far the dial got.

import { connect, isIP } from "node:net";
import type { PeerCertificate } from "node:tls";
import { checkServerIdentity } from "node:tls";
import type { ClientOptions } from "ws";
import type { RelayAddress } from "./address.ts";
import type { Dialled } from "./dial-problem.ts";
import type { Route } from "./route.ts";

export const PROXY_CONNECTED = 200;

export interface Way {
  readonly options: ClientOptions;
  dialled(): Dialled;
  /** Aborts a dial that the proxy has not answered; call it when the socket closes. */
  leave(): void;
}

export function wayOf(address: RelayAddress, { proxy, ca, socket }: Route): Way {
  const { host } = new URL(address.origin);
  const leaving = new AbortController();
  let answered: number | undefined;
  const path = socket?.forDial();
  const agent = proxy?.agent((status) => {
    answered = status;
  }, leaving.signal);
  return {
    options: {
      ...(agent === undefined ? {} : { agent, ...addressCheck(address) }),
      ...(ca === undefined ? {} : { ca: [...ca] }),
      ...(path === undefined ? {} : { createConnection: () => connect(path) }),
    },
    dialled: () => ({ host, proxy: proxy?.shown, answer: answered }),
    // After the proxy's answer the WebSocket owns the connection and ends it.
    leave: () => (answered === undefined ? leaving.abort() : undefined),
  };
}

/**
 * Returns options that check the certificate against the relay's IP address: the proxy agent drops
 * an IP as the server name and would check it against "localhost".
 */
function addressCheck(address: RelayAddress): ClientOptions {
  const name = new URL(address.origin).hostname.replace(/^\[|\]$/g, "");
  if (isIP(name) === 0) return {};
  const check = (_name: string, certificate: PeerCertificate) =>
    checkServerIdentity(name, certificate);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ws types it as the answer, tls wants the error
  return { checkServerIdentity: check } as unknown as ClientOptions;
}
