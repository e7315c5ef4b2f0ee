// Owns how a bridge's socket is let in: by what only the room's own bridge can know, or by a place
// among the strangers, and never beyond the moment the room has turned it away. A room cannot cut a
// socket off; the Worker that fetched it can, so it waits for what became of it.

import { KNOCK_HEADER, KNOCK_PATTERN } from "../../protocol/link.ts";
import { refuse } from "./answers.ts";
import type { Asked } from "./room-request.ts";
import { roomRequest } from "./room-request.ts";
import type { Place } from "./threshold.ts";
import { Threshold } from "./threshold.ts";

/** Who came by a bridge's socket. */
export type Verdict =
  /** Its hello was signed by the key that has the room, whether it gets the link or not. */
  | { readonly isOwner: true }
  /** `bytes` of its first message, if that was too long. */
  | { readonly isOwner: false; readonly bytes: number };

/** The part of a room that bridges come in by. */
export interface BridgesRoom {
  fetch(request: Request): Promise<Response>;
  verdictOn(id: string): Promise<Verdict>;
}

/** Of this isolate: a self-hosted relay has one. */
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
    // A room that was restarted meanwhile knows nothing of it any more.
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
