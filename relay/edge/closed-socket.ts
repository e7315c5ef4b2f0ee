// Owns refused sockets until their clients are gone. Clients that stay open or keep sending are cut
// off. A Worker can do that only to sockets that it fetched, so it fetches these from itself.

import { exports, WorkerEntrypoint } from "cloudflare:workers";
import { CloseCode } from "../../protocol/codes.ts";
import { Patience, sizeOf } from "../patience.ts";
import { CLOSE, REASON } from "./refused-socket.ts";
import type { Place } from "./threshold.ts";
import { Threshold } from "./threshold.ts";

/** Time for the client to answer our close, over any network. */
const GOING_MS = 5_000;

/** One per isolate; a self-hosted relay has a single isolate. */
const refused = new Threshold();
/** Permits by the id under which the Worker fetched their sockets. */
const places = new Map<string, Place>();

/** Opens a refused socket's end in the Worker; undefined when too many are being refused. */
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

/** The other end of a refused socket, which sends the close code. */
export class ClosedSocket extends WorkerEntrypoint {
  override fetch(request: Request): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    // A Blob has no `byteLength`, and its size would need another check.
    server.binaryType = "arraybuffer";
    const patience = new Patience();
    server.addEventListener("message", ({ data }) => {
      const size = sizeOf(data);
      if (patience.bears(size)) return;
      refused.charge(size);
      // The only way to end a socket whose client keeps sending: the runtime drops it.
      throw new Error("a refused socket goes on talking");
    });
    // Without a listener the runtime logs an error for each refused client.
    server.addEventListener("error", () => undefined);
    const id = new URL(request.url).pathname.slice(1);
    server.addEventListener("close", () => places.get(id)?.leave());
    server.accept();
    const { headers } = request;
    server.close(Number(headers.get(CLOSE)) || CloseCode.internal, headers.get(REASON) ?? "");
    return new Response(null, { status: 101, webSocket: client });
  }
}
