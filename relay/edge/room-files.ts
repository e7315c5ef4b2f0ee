// Owns the check whether a room was ever woken, on relays that store rooms on a disk. On other
// relays every room counts as existing, because waking one is cheap there.

import { ROOMS_KEY } from "../../protocol/workspace.ts";
import type { Env } from "../env.ts";

export async function isNewRoom(env: Env, workspace: string): Promise<boolean> {
  if (env.ROOM_FILES === undefined) return false;
  const id = env.WORKSPACE.idFromName(workspace).toString();
  const url = `https://rooms/${ROOMS_KEY}/${id}.sqlite`;
  const found = await env.ROOM_FILES.fetch(new Request(url, { method: "HEAD" }));
  return found.status === 404;
}
