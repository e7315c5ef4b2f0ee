// Owns the sockets that were refused, until their clients have gone. Whoever stays, or says much, is
// cut off: a Worker can do that to a socket that it fetched, so it fetches these from itself.

import { exports, WorkerEntrypoint } from "cloudflare:workers";
import { CloseCode } from "../../protocol/codes.ts";
import { Patience, sizeOf } from "../patience.ts";
import { CLOSE, REASON } from "./refused-socket.ts";
import type { Place } from "./threshold.ts";
import { Threshold } from "./threshold.ts";

/** For the answer to our close, over any network. */
const GOING_MS = 5_000;

/** Of this isolate: a self-hosted relay has one. */
const refused = new Threshold();
/** By the name under which the Worker fetched their sockets. */
const places = new Map<string, Place>();

/** The Worker's half. Undefined when so many are refused that the status must do. */
export async function closedSocket(
  ctx: ExecutionContext,
  { headers }: Response,
): Promise<WebSocket | undefined> {
  const place = await refused.enter();
  if (place === undefined) return undefined;
  const cut = new AbortController();
  const id = crypto.randomUUID();
  places.set(id, place);
  const told = { [CLOSE]: headers.get(CLOSE) ?? "", [REASON]: headers.get(REASON) ?? "" };
  const { webSocket } = await exports.ClosedSocket.fetch(`https://closed/${id}`, {
    headers: { ...told, upgrade: "websocket" },
    signal: cut.signal,
  });
  const going = new Promise((resolve) => setTimeout(resolve, GOING_MS));
  const end = async (): Promise<void> => {
    await Promise.race([going, place.lost]);
    places.delete(id);
    place.leave();
    cut.abort();
  };
  ctx.waitUntil(end());
  return webSocket ?? undefined;
}

/** The other end of a refused socket. */
export class ClosedSocket extends WorkerEntrypoint {
  override fetch(request: Request): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    // A Blob would have to be asked for its size by another name.
    server.binaryType = "arraybuffer";
    const patience = new Patience();
    server.addEventListener("message", ({ data }) => {
      const size = sizeOf(data);
      if (patience.bears(size)) return;
      refused.charge(size);
      // The one way to end a socket that goes on: the runtime lets go of it.
      throw new Error("a refused socket goes on talking");
    });
    // Without a listener the runtime would log it, once for each stranger.
    server.addEventListener("error", () => undefined);
    const id = new URL(request.url).pathname.slice(1);
    server.addEventListener("close", () => places.get(id)?.leave());
    server.accept();
    const { headers } = request;
    server.close(Number(headers.get(CLOSE)) || CloseCode.internal, headers.get(REASON) ?? "");
    return new Response(null, { status: 101, webSocket: client });
  }
}
