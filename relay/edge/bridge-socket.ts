// Owns admitting a bridge's socket: with the knock that only the room's own bridge knows, or with
// one of the few permits for strangers. A room cannot cut a socket off, but the Worker that fetched
// it can, so the Worker waits for the room's verdict and cuts rejected sockets.

import { KNOCK_HEADER, KNOCK_PATTERN } from "../../protocol/link.ts";
import { refuse } from "./answers.ts";
import type { Asked } from "./room-request.ts";
import { roomRequest } from "./room-request.ts";
import type { Place } from "./threshold.ts";
import { Threshold } from "./threshold.ts";

/** The room's verdict on a bridge's socket. */
export type Verdict =
  /**
   * The hello was signed by the key that owns the room, whether this bridge gets the link or not.
   */
  | { readonly isOwner: true }
  /** `bytes` is the size of the first message, if that was too long. */
  | { readonly isOwner: false; readonly bytes: number };

/** The part of a room that bridges connect to. */
export interface BridgesRoom {
  fetch(request: Request): Promise<Response>;
  verdictOn(id: string): Promise<Verdict>;
}

/** One per isolate; a self-hosted relay has a single isolate. */
const strangers = new Threshold();

export async function bridgeSocket(
  ctx: ExecutionContext,
  room: BridgesRoom,
  workspace: string,
  headers: Headers,
): Promise<Response> {
  const host = headers.get("host") ?? "";
  const said = headers.get(KNOCK_HEADER) ?? "";
  const knock = KNOCK_PATTERN.test(said) ? said : undefined;
  const asked = { door: "bridge", workspace, host, knock } as const;
  if (knock !== undefined) {
    const response = await letIn(ctx, room, asked, undefined);
    if (response.webSocket) return response;
  }
  const place = await strangers.enter();
  if (place === undefined) return refuse("too_many", "Too many bridges are connecting.");
  return await letIn(ctx, room, { ...asked, stranger: true }, place);
}

async function letIn(
  ctx: ExecutionContext,
  room: BridgesRoom,
  asked: Asked,
  place: Place | undefined,
): Promise<Response> {
  const id = crypto.randomUUID();
  const cut = new AbortController();
  const request = new Request(roomRequest({ ...asked, id }), { signal: cut.signal });
  const response = await room.fetch(request);
  if (!response.webSocket) {
    place?.leave();
    return response;
  }
  const watch = async (): Promise<void> => {
    const lost = place?.lost.then((): Verdict => ({ isOwner: false, bytes: 0 }));
    // A room that restarted meanwhile no longer knows the socket.
    const verdict = room.verdictOn(id).catch((): Verdict => ({ isOwner: false, bytes: 0 }));
    const end = await (lost === undefined ? verdict : Promise.race([verdict, lost]));
    place?.leave();
    if (end.isOwner) return;
    strangers.charge(end.bytes);
    cut.abort();
  };
  ctx.waitUntil(watch());
  return response;
}
