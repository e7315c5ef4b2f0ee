// Owns connecting a visit with its sealed line: from the link to a ticket for the relay, and from
// opened messages to their handlers. Loaded with the first sealed link. The link's secret and the
// host's key do not leave the page.

import { CloseCode } from "../../protocol/codes.ts";
import type { PtyAttached } from "../../protocol/pty.ts";
import { deriveLinkKeys } from "../../protocol/sealed/derivation.ts";
import { parseSealedLink } from "../../protocol/sealed/link.ts";
import type { ChannelKey, PtyKey } from "../../protocol/sealed/messages.ts";
import { HANDSHAKE_VERSION } from "../../protocol/sealed/messages.ts";
import { SealedLine } from "../sealed/sealed-line.ts";
import { compute, findCryptoProblem } from "../sealed/web-crypto.ts";
import { sealRequest, toOuterPath } from "../sealed/sealed-requests.ts";
import { workspacePath } from "../../protocol/workspace.ts";
import type { MessageHandlers } from "./dialect.ts";
import type { RequestOptions, SendRequest } from "./operations.ts";
import { sendWithProgress } from "./send-with-progress.ts";
import type { HandlersByMaker } from "./messages.ts";
import { dispatchBridgeMessage, dispatchMessage } from "./messages.ts";
import type { Connection, RoomSocket } from "./room-socket.ts";
import type { PtyClient } from "./pty-client.ts";
import type { Store } from "./store.ts";

const LOST = "Not connected. Your last input was not sent.";
const OTHER_VERSION =
  "The page and the host have different versions of pairpty: reload the page, or update the older one.";

/** Comes in the last record before the host closes the socket. */
interface Closing {
  readonly type: "e2e:closing";
  readonly reason: string;
}

/** Closes the page's own attempt to connect, as a room would. */
class ConnectRefusal extends Error {
  readonly closeCode = CloseCode.forbidden;
}

export interface SealedTransport {
  /** The token by which the relay admits. */
  readonly ticket: string;
  readonly line: Pick<SealedLine, "send" | "receive" | "onOpen" | "onClose">;
  readonly request: SendRequest;
  /** Adds the host's own reason for closing the socket, once; the relay has a generic one. */
  readonly toConnection: (connection: Connection) => Connection;
}

export interface SealedTransportDeps {
  readonly store: Store;
  /** This browser's id in the workspace. */
  readonly device: string;
  readonly socket: Pick<RoomSocket, "send" | "close">;
  readonly handlers: HandlersByMaker;
  readonly pty: PtyClient;
  /** Handles that nothing reaches the host until it has greeted this page again. */
  readonly onHandshake: () => void;
}

/** Opens the transport; rejects with a `ConnectRefusal` if this link or browser cannot be used. */
export async function openSealedTransport(
  word: string,
  deps: SealedTransportDeps,
): Promise<SealedTransport> {
  const { store, device, socket, pty, handlers } = deps;
  const parsed = parseSealedLink(word);
  if (!parsed.ok) throw new ConnectRefusal(parsed.message);
  const problem = await findCryptoProblem();
  if (problem !== undefined) throw new ConnectRefusal(problem);
  const { link } = parsed;
  const { workspace } = store;
  const { ticket } = await compute(deriveLinkKeys(link, workspace));
  const inClear: HandlersByMaker = { room: handlers.room, bridge: {} };
  let closing: string | undefined;
  const sealed = {
    bridge: {
      ...withKeys(handlers.bridge, (channel, key) => line.setKey(channel, key)),
      "e2e:closing": ({ reason }: Closing) => void (closing = reason),
    },
  };
  const line: SealedLine = new SealedLine({
    link,
    workspace,
    origin: location.origin,
    hello: () => ({ v: HANDSHAKE_VERSION, device }),
    send: (text) => socket.send(text),
    isHostHere: () => store.bridge.peek().state === "here",
    onRoomMessage: (text) => dispatchMessage(inClear, text),
    onRoomFrame: (data) => void pty.onBinary(data),
    onMessage: (text) => dispatchBridgeMessage(sealed, text),
    onOutput: (channel, output) => {
      const message = pty.onOutput(channel, output);
      if (message !== undefined) dispatchBridgeMessage(sealed, message);
    },
    onGap: (channel) => pty.reattach(channel),
    onHandshake: () => {
      store.people.digits.value = undefined;
      deps.onHandshake();
    },
    onDigits: (digits) => void (store.people.digits.value = digits),
    onLost: () => store.toast(LOST),
    onFault: (isVersion) => socket.close(isVersion ? OTHER_VERSION : undefined),
  });
  const toConnection = (connection: Connection): Connection => {
    const reason = closing;
    closing = undefined;
    const isOwn = connection.state === "refused" && reason !== undefined;
    return isOwn ? { ...connection, reason } : connection;
  };
  const request: SendRequest = async (path, options = {}) =>
    await sendSealed({ line, ticket, workspace }, path, options);
  return { ticket, line, request, toConnection };
}

/** Sends a sealed request; rejects without a session, or if the host's answer does not come. */
async function sendSealed(
  { line, ticket, workspace }: { line: SealedLine; ticket: string; workspace: string },
  path: string,
  { method = "GET", body, signal, onSent }: RequestOptions,
): Promise<Response> {
  if (line.session === undefined) throw new TypeError("There is no session");
  const request = { method, path, body, signal };
  const sealed = await sealRequest(line.session, request);
  const answer = await sendWithProgress(
    workspacePath(workspace, toOuterPath(request)),
    { authorization: `Bearer ${ticket}` },
    {
      body: sealed.body,
      ...(signal && { signal }),
      // Progress counts the file's bytes, without those that sealing adds.
      onSent: (bytes) => onSent?.(Math.min(bytes, body?.size ?? 0)),
    },
  );
  return await sealed.open(answer);
}

/** Adds the keys of channels, which the other handlers need not know. */
function withKeys(
  handlers: MessageHandlers,
  setKey: (channel: number, key: ChannelKey) => void,
): MessageHandlers {
  const onAttached = (message: PtyAttached): void => {
    if (message.channel !== undefined && message.key) setKey(message.channel, message.key);
    handlers["pty:attached"]?.(message);
  };
  return {
    ...handlers,
    "pty:attached": onAttached,
    "pty:key": (message: PtyKey) => setKey(message.channel, message),
  };
}
