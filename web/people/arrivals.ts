// Owns announcing who came and who left, from the changes between two lists of people.
// protocol/arrivals.ts limits how often.

import { effect } from "@preact/signals";
import { Arrivals } from "../../protocol/arrivals.ts";
import type { ById, People } from "../session/people.ts";
import { calledOf } from "../session/people.ts";

/** A page sends its person's name shortly after it has connected. */
const NAME_MS = 700;

export interface ArrivalsParts {
  readonly people: Pick<People, "all" | "you">;
  readonly toast: (text: string) => void;
  readonly later?: (action: () => void, milliseconds: number) => { cancel(): void };
  readonly now?: () => number;
}

/** Starts announcing; returns its end. */
export function announceArrivals(parts: ArrivalsParts): () => void {
  const { people, toast, later = afterwards, now = Date.now } = parts;
  let isOver = false;
  const arrivals = new Arrivals({
    say: (line) => isOver || toast(`${line}.`),
    later,
    now,
  });
  /** People whose arrival was not announced yet. */
  const greeting = new Map<string, { cancel(): void }>();
  let before: ById | undefined;

  const greet = (id: string): void => {
    greeting.delete(id);
    const person = people.all.peek()?.get(id);
    if (person !== undefined) arrivals.joined({ key: id, name: calledOf(person) });
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
      greeting.set(
        id,
        later(() => greet(id), NAME_MS),
      );
    }
    for (const [id, person] of last) {
      if (here.has(id) || id === you) continue;
      const unsaid = greeting.get(id);
      unsaid?.cancel();
      if (!greeting.delete(id)) arrivals.left({ key: id, name: calledOf(person) });
    }
  });
  return () => {
    isOver = true;
    stop();
    for (const timer of greeting.values()) timer.cancel();
  };
}

function afterwards(action: () => void, milliseconds: number): { cancel(): void } {
  const timer = setTimeout(action, milliseconds);
  return { cancel: () => clearTimeout(timer) };
}
