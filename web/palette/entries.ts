// Owns what the palette lists, and in which order: the commands that can be meant anywhere on the page,
// and every view to go to. Pure, but for the clock-less list of what was used last.

import type { Aim, Command } from "../commands/command.ts";
import { perform, titleOf } from "../commands/command.ts";
import { match } from "./match.ts";

export interface Entry {
  readonly id: string;
  readonly title: string;
  /** Where it says more than the title. */
  readonly detail?: string;
  /** What else it is found by. */
  readonly words?: string;
  readonly keys?: string;
  /** Why it cannot be done now. */
  readonly refusal?: string;
  readonly run: () => void;
}

export interface Ranked {
  readonly entry: Entry;
  /** The letters that fit, in its title. */
  readonly at: readonly number[];
}

const MOST_RECENT = 8;
const NEVER = Number.NEGATIVE_INFINITY;

/** So many tabs come before the commands; of the others whoever looks for one types. */
const FIRST_TABS = 4;

/** Its own key opens it: in the list it would do nothing. */
const NOT_LISTED = new Set(["page.palette", "view.pick"]);

export function commandEntries(commands: readonly Command[], aim: Aim): Entry[] {
  return commands
    .filter(({ id, run }) => run !== undefined && !NOT_LISTED.has(id))
    .map((command) => {
      const refusal = whyNot(command, aim);
      const title = titleOf(command, aim);
      // Whoever looks for the other half of a toggle finds it, too.
      const words = [command.words, title === command.title ? undefined : command.title];
      const all = words.filter((each) => each !== undefined).join(" ");
      return {
        id: command.id,
        title,
        ...(all !== "" && { words: all }),
        keys: command.keys,
        ...(refusal !== undefined && { refusal }),
        run: () => perform(command, aim),
      };
    });
}

export function viewEntries({ session: { store } }: Aim): Entry[] {
  return (store.views.all.peek() ?? []).map((view) => {
    const face = store.face(view);
    const [detail] = face.details;
    return {
      id: `go ${store.views.key(view)}`,
      title: `Go to ${face.name}`,
      ...(detail !== undefined && { detail }),
      run: () => store.views.enter(view),
    };
  });
}

/** As it stands before anything is typed: many tabs do not hide the commands. */
export function entriesOf(tabs: readonly Entry[], commands: readonly Entry[]): Entry[] {
  return [...tabs.slice(0, FIRST_TABS), ...commands, ...tabs.slice(FIRST_TABS)];
}

/** By how well they fit, in its title or in other words for it; without anything typed by what was used last, and what can be done first. */
export function ranked(
  entries: readonly Entry[],
  typed: string,
  recent: readonly string[],
): Ranked[] {
  const found = entries.flatMap((entry) => {
    const { title, words } = entry;
    const fits = match(typed, title);
    const meant = isMeant(typed, entry) ? match(typed, `${title} ${words}`) : undefined;
    const score = Math.max(fits?.score ?? NEVER, meant?.score ?? NEVER);
    return score === NEVER ? [] : { entry, score, at: fits?.at ?? [] };
  });
  const lately = ({ id }: Entry): number => {
    const at = recent.indexOf(id);
    return at < 0 ? recent.length : at;
  };
  const off = ({ refusal }: Entry): number => (refusal === undefined ? 0 : 1);
  const isTyped = typed.trim() !== "";
  return found
    .toSorted(
      (a, b) =>
        (isTyped ? b.score - a.score : 0) ||
        lately(a.entry) - lately(b.entry) ||
        off(a.entry) - off(b.entry),
    )
    .map(({ entry, at }) => ({ entry, at }));
}

/** What is used now comes first the next time. */
export function used(recent: readonly string[], id: string): string[] {
  return [id, ...recent.filter((one) => one !== id)].slice(0, MOST_RECENT);
}

/** Only by their beginnings: letters here and there would find everything. */
function isMeant(typed: string, { title, words = "" }: Entry): boolean {
  const known = `${title} ${words}`.toLowerCase().split(" ");
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return words !== "" && wanted.every((one) => known.some((word) => word.startsWith(one)));
}

function whyNot(command: Command, aim: Aim): string | undefined {
  if (command.isEnabled?.(aim) !== false) return command.refusal?.(aim);
  const isElsewhere = command.id.startsWith("terminal.") && aim.view?.kind !== "terminal";
  return isElsewhere ? "Not in a terminal" : "Nothing to do right now";
}
