// Owns what everybody in the room is told unasked: terminals that come, change and go, and what
// their programs call themselves. Those who may not know of a terminal hear nothing of it.

import type { Hub } from "../../callers/hub.ts";
import { maySee } from "../../callers/sight.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import { titledWords } from "./words.ts";

type Seen = Parameters<typeof maySee>[1];

/** Returns how to stop. */
export function tellNews(
  pool: Pick<TerminalPool, "onEvent" | "onTitle">,
  hub: Pick<Hub, "tell">,
): () => void {
  // By what the news itself says: the pool may have let go of a terminal before its end is told.
  const tell = (about: Seen, message: string, before: Seen = about) =>
    hub.tell(message, (_caller, grant) => maySee(grant, about) && maySee(grant, before));
  const ends = [
    // Those who gain sight of it by the change are told that it came (people/openness.ts).
    pool.onEvent((event, before) => tell(event.terminal, JSON.stringify(event), before)),
    pool.onTitle(({ id, title, meta }) => tell(meta, titledWords(id, title))),
  ];
  return () => {
    for (const end of ends) end();
  };
}
