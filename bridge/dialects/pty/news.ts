// Owns the messages that everyone in the room gets unrequested: terminals that are created, change
// or close, and their titles. Callers that may not see a terminal get none about it.

import type { Hub } from "../../callers/hub.ts";
import { maySee } from "../../callers/sight.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import { titledWords } from "./words.ts";

type Seen = Parameters<typeof maySee>[1];

/** Sends terminal events and titles to callers that may see the terminal; returns how to stop. */
export function tellNews(
  pool: Pick<TerminalPool, "onEvent" | "onTitle">,
  hub: Pick<Hub, "tell">,
): () => void {
  // Decided by the event's own data: the pool may have dropped the terminal before its end is sent.
  const tell = (about: Seen, message: string, before: Seen = about) =>
    hub.tell(message, (_caller, grant) => maySee(grant, about) && maySee(grant, before));
  const ends = [
    // Callers that gain sight by the change get `created` instead (people/openness.ts).
    pool.onEvent((event, before) => tell(event.terminal, JSON.stringify(event), before)),
    pool.onTitle(({ id, title, meta }) => tell(meta, titledWords(id, title))),
  ];
  return () => {
    for (const end of ends) end();
  };
}
