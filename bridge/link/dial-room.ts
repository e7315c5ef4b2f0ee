// Opens one socket to the room and sorts its ends: lost, so that another dial may help, or refused
// for good. Does not know the handshake or when to dial again.

import { WebSocket } from "ws";
import { CloseCode } from "../../protocol/codes.ts";
import { MAX_LINK_MESSAGE } from "../../protocol/limits.ts";
import { KNOCK_HEADER } from "../../protocol/link.ts";
import type { DialProblem } from "./dial-problem.ts";
import { toDialProblem, toProxyProblem } from "./dial-problem.ts";
import type { DialRoute } from "./dial-route.ts";
import { createDial, PROXY_CONNECTED } from "./dial-route.ts";
import type { Credentials } from "./handshake.ts";
import { computeKnock } from "./handshake.ts";
import type { RelayAddress } from "./relay-address.ts";
import { linkUrl } from "./relay-address.ts";

/** Close codes after which redialling is useless, or a newer bridge is connected. */
const FINAL_CLOSE_CODES = new Set<number>([
  CloseCode.unauthorized,
  CloseCode.forbidden,
  CloseCode.version,
  CloseCode.anotherBridge,
  CloseCode.replaced,
]);

export interface DialRequest {
  readonly address: RelayAddress;
  readonly route: DialRoute;
  readonly credentials: Credentials;
  /** Whether the message being sent is small: such messages are masked. */
  readonly isSmall: () => boolean;
}

/** One dial may fire `onLost` or `onRefused` several times; only the first counts. */
export interface DialEvents {
  onMessage(socket: WebSocket, data: Buffer, binary: boolean): void;
  onLost(socket: WebSocket, why: string | DialProblem): void;
  onRefused(socket: WebSocket, code: number, reason: string): void;
}

export function dialRoom(
  { address, route, credentials, isSmall }: DialRequest,
  events: DialEvents,
): WebSocket {
  const dial = createDial(address, route);
  const socket = new WebSocket(linkUrl(address, credentials.workspace), {
    ...dial.options,
    headers: { [KNOCK_HEADER]: computeKnock(credentials, address.origin) },
    perMessageDeflate: false,
    maxPayload: MAX_LINK_MESSAGE,
    // Masking protects plain-text proxies from hostile scripts. Loopback and TLS have neither,
    // and masking costs as much as the rest of the bridge's work on a byte. Small messages are
    // masked anyway: ws then writes header and body in one piece.
    ...(address.loopback || address.secure
      ? { generateMask: (mask: Buffer) => mask.fill(isSmall() ? 1 : 0) }
      : {}),
  });
  socket.on("message", (data: Buffer, binary) => events.onMessage(socket, data, binary));
  socket.on("close", (code, bytes) => {
    const reason = bytes.toString();
    if (FINAL_CLOSE_CODES.has(code)) events.onRefused(socket, code, reason);
    else events.onLost(socket, reason === "" ? `closed with ${code}` : `${reason} (${code})`);
  });
  socket.on("error", (error) => events.onLost(socket, toDialProblem(error, dial.getProgress())));
  // Ends the connection to a proxy that never answers.
  socket.on("close", () => dial.abort());
  socket.on("unexpected-response", (_request, response) => {
    response.resume();
    const { proxy, proxyStatus: status = 0, host } = dial.getProgress();
    if (proxy !== undefined && status !== PROXY_CONNECTED) {
      return events.onLost(socket, toProxyProblem(status, proxy, host));
    }
    const reason = `the relay answered ${response.statusCode}`;
    if (response.statusCode === 403) events.onRefused(socket, CloseCode.forbidden, reason);
    else events.onLost(socket, reason);
    return undefined;
  });
  return socket;
}
