// Owns what everybody in the room is told unasked: terminals that come, change and go, and what
// their programs call themselves. Those who may not know of a terminal hear nothing of it.

import type { Hub } from "../../callers/hub.ts";
import { maySee } from "../../callers/sight.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import { titledWords } from "./words.ts";

/** Returns how to stop. */
export function tellNews(
  pool: Pick<TerminalPool, "onEvent" | "onTitle" | "get">,
  hub: Pick<Hub, "tell">,
): () => void {
  const tell = (id: string, message: string) => {
    const meta = pool.get(id)?.meta;
    // One that is gone already was told of before, or never.
    hub.tell(message, (_caller, grant) => meta === undefined || maySee(grant, meta));
  };
  const ends = [
    pool.onEvent((event) => tell(event.terminal.id, JSON.stringify(event))),
    pool.onTitle(({ id, title }) => tell(id, titledWords(id, title))),
  ];
  return () => {
    for (const end of ends) end();
  };
}
