// Owns announcing who came and who left, from the changes between two lists of people.
// protocol/arrival-notices.ts limits how often.

import { effect } from "@preact/signals";
import { ArrivalNotices } from "../../protocol/arrival-notices.ts";
import type { PeopleById, People } from "../session/people.ts";
import { displayName } from "../../protocol/names.ts";

/** A page sends its person's name shortly after it has connected. */
const NAME_MS = 700;

export interface ArrivalsDeps {
  readonly people: Pick<People, "all" | "you">;
  /** The first list, if the announcements start later. */
  readonly before?: PeopleById | undefined;
  readonly toast: (text: string) => void;
  readonly schedule?: (action: () => void, milliseconds: number) => { cancel(): void };
  readonly now?: () => number;
}

/** Starts announcing; returns its end. */
export function announceArrivals(deps: ArrivalsDeps): () => void {
  const { people, toast, schedule = runLater, now = Date.now } = deps;
  let isOver = false;
  const arrivals = new ArrivalNotices({
    print: (line) => isOver || toast(`${line}.`),
    setTimer: schedule,
    now,
  });
  /** People whose arrival was not announced yet. */
  const pending = new Map<string, { cancel(): void }>();
  let { before } = deps;

  const announce = (id: string): void => {
    pending.delete(id);
    const person = people.all.peek()?.get(id);
    if (person !== undefined) arrivals.onJoined({ key: id, name: displayName(person) });
  };

  const stop = effect(() => {
    const here = people.all.value;
    const last = before;
    before = here;
    // People who were here before us are not announced.
    if (here === undefined || last === undefined) return;
    const you = people.you.peek()?.you;
    for (const id of here.keys()) {
      if (last.has(id) || id === you || arrivals.isBack(id)) continue;
      pending.set(
        id,
        schedule(() => announce(id), NAME_MS),
      );
    }
    for (const [id, person] of last) {
      if (here.has(id) || id === you) continue;
      const timer = pending.get(id);
      timer?.cancel();
      if (!pending.delete(id)) arrivals.onLeft({ key: id, name: displayName(person) });
    }
  });
  return () => {
    isOver = true;
    stop();
    for (const timer of pending.values()) timer.cancel();
  };
}

function runLater(action: () => void, milliseconds: number): { cancel(): void } {
  const timer = setTimeout(action, milliseconds);
  return { cancel: () => clearTimeout(timer) };
}
