// Owns the look whether a room was ever woken, on relays that have a disk. On others every room
// counts as there: to wake one costs nothing that the relay's owner waits for.

import { ROOMS_KEY } from "../../protocol/workspace.ts";
import type { Env } from "../env.ts";

export async function isNewRoom(env: Env, workspace: string): Promise<boolean> {
  if (env.ROOM_FILES === undefined) return false;
  const id = env.WORKSPACE.idFromName(workspace).toString();
  const url = `https://rooms/${ROOMS_KEY}/${id}.sqlite`;
  const found = await env.ROOM_FILES.fetch(new Request(url, { method: "HEAD" }));
  return found.status === 404;
}
