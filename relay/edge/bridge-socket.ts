// Owns admitting a bridge's socket: with the knock that only the room's own bridge knows, or with
// one of the few permits for strangers. A room cannot cut a socket off, but the Worker that fetched
// it can, so the Worker waits for the room's verdict and cuts rejected sockets.

import { KNOCK_HEADER, KNOCK_PATTERN } from "../../protocol/link.ts";
import { refuse } from "./error-responses.ts";
import type { RoomRequestInfo } from "./room-request.ts";
import { buildRoomRequest } from "./room-request.ts";
import type { Permit } from "./stranger-permits.ts";
import { StrangerPermits } from "./stranger-permits.ts";

/** The room's verdict on a bridge's socket. */
export type BridgeVerdict =
  /**
   * The hello was signed by the key that owns the room, whether this bridge gets the link or not.
   */
  | { readonly isOwner: true }
  /** `bytes` is the size of the first message, if that was too long. */
  | { readonly isOwner: false; readonly bytes: number };

/** The part of a room that bridges connect to. */
export interface BridgeRoom {
  fetch(request: Request): Promise<Response>;
  verdictOn(id: string): Promise<BridgeVerdict>;
}

/** One per isolate; a self-hosted relay has a single isolate. */
const strangers = new StrangerPermits();

export async function openBridgeSocket(
  ctx: ExecutionContext,
  room: BridgeRoom,
  workspace: string,
  headers: Headers,
): Promise<Response> {
  const host = headers.get("host") ?? "";
  const header = headers.get(KNOCK_HEADER) ?? "";
  const knock = KNOCK_PATTERN.test(header) ? header : undefined;
  const info = { door: "bridge", workspace, host, knock } as const;
  if (knock !== undefined) {
    const response = await connectToRoom(ctx, room, info, undefined);
    if (response.webSocket) return response;
  }
  const permit = await strangers.acquire();
  if (permit === undefined) return refuse("too_many", "Too many bridges are connecting.");
  return await connectToRoom(ctx, room, { ...info, stranger: true }, permit);
}

async function connectToRoom(
  ctx: ExecutionContext,
  room: BridgeRoom,
  info: RoomRequestInfo,
  permit: Permit | undefined,
): Promise<Response> {
  const id = crypto.randomUUID();
  const cut = new AbortController();
  const request = new Request(buildRoomRequest({ ...info, id }), { signal: cut.signal });
  const response = await room.fetch(request);
  if (!response.webSocket) {
    permit?.release();
    return response;
  }
  const watch = async (): Promise<void> => {
    const revoked = permit?.revoked.then((): BridgeVerdict => ({ isOwner: false, bytes: 0 }));
    // A room that restarted meanwhile does not know the socket any longer.
    const verdict = room.verdictOn(id).catch((): BridgeVerdict => ({ isOwner: false, bytes: 0 }));
    const end = await (revoked === undefined ? verdict : Promise.race([verdict, revoked]));
    permit?.release();
    if (end.isOwner) return;
    strangers.charge(end.bytes);
    cut.abort();
  };
  ctx.waitUntil(watch());
  return response;
}
