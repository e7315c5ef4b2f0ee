// Owns refused sockets until their clients are gone. Clients that stay open or keep sending are cut
// off. A Worker can do that only to sockets that it fetched, so it fetches these from itself.

import { exports, WorkerEntrypoint } from "cloudflare:workers";
import { CloseCode } from "../../protocol/codes.ts";
import { PostCloseAllowance, getMessageSize } from "../rate-limiter.ts";
import { CLOSE_HEADER, REASON_HEADER } from "./error-responses.ts";
import type { Permit } from "./stranger-permits.ts";
import { StrangerPermits } from "./stranger-permits.ts";

/** Time for the client to answer our close, over any network. */
const CLOSE_TIMEOUT_MS = 5_000;

/** One per isolate; a self-hosted relay has a single isolate. */
const refusedSockets = new StrangerPermits();
/** Permits by the id under which the Worker fetched their sockets. */
const permits = new Map<string, Permit>();

/** Opens a refused socket's end in the Worker; undefined when too many are being refused. */
export async function openRefusedSocket(
  ctx: ExecutionContext,
  { headers }: Response,
): Promise<WebSocket | undefined> {
  const permit = await refusedSockets.acquire();
  if (permit === undefined) return undefined;
  const cut = new AbortController();
  const id = crypto.randomUUID();
  permits.set(id, permit);
  const closeHeaders = {
    [CLOSE_HEADER]: headers.get(CLOSE_HEADER) ?? "",
    [REASON_HEADER]: headers.get(REASON_HEADER) ?? "",
  };
  const { webSocket } = await exports.ClosedSocket.fetch(`https://closed/${id}`, {
    headers: { ...closeHeaders, upgrade: "websocket" },
    signal: cut.signal,
  });
  const going = new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS));
  const end = async (): Promise<void> => {
    await Promise.race([going, permit.revoked]);
    permits.delete(id);
    permit.release();
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
    const allowance = new PostCloseAllowance();
    server.addEventListener("message", ({ data }) => {
      const size = getMessageSize(data);
      if (allowance.allows(size)) return;
      refusedSockets.charge(size);
      // The only way to end a socket whose client keeps sending: the runtime drops it.
      throw new Error("a refused socket goes on talking");
    });
    // Without a listener the runtime logs an error for each refused client.
    server.addEventListener("error", () => undefined);
    const id = new URL(request.url).pathname.slice(1);
    server.addEventListener("close", () => permits.get(id)?.release());
    server.accept();
    const { headers } = request;
    server.close(
      Number(headers.get(CLOSE_HEADER)) || CloseCode.internal,
      headers.get(REASON_HEADER) ?? "",
    );
    return new Response(null, { status: 101, webSocket: client });
  }
}
