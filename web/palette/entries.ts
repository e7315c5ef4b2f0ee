// Owns what the palette lists and in which order: the commands of the page, and every view to go
// to. Pure.

import type { Aim, Command } from "../commands/command.ts";
import { perform, titleOf } from "../commands/command.ts";
import { match } from "./match.ts";

export interface Entry {
  readonly id: string;
  readonly title: string;
  /** Shown where it adds to the title. */
  readonly detail?: string;
  /** Further search words. */
  readonly words?: string;
  readonly keys?: string;
  /** Why it cannot be done now. */
  readonly refusal?: string;
  readonly run: () => void;
}

export interface Ranked {
  readonly entry: Entry;
  /** Positions of the matching letters in the title. */
  readonly at: readonly number[];
}

const MOST_RECENT = 8;
const NEVER = Number.NEGATIVE_INFINITY;

/** Tabs listed before the commands; to find others, people type. */
const FIRST_TABS = 4;

/** Commands that would do nothing from the list. */
const NOT_LISTED = new Set(["page.palette", "view.pick"]);

export function commandEntries(commands: readonly Command[], aim: Aim): Entry[] {
  return commands
    .filter(({ id, run }) => run !== undefined && !NOT_LISTED.has(id))
    .map((command) => {
      const refusal = whyNot(command, aim);
      const title = titleOf(command, aim);
      // The other half of a toggle can be searched for, too.
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

/** Returns the initial order, in which many tabs do not hide the commands. */
export function entriesOf(tabs: readonly Entry[], commands: readonly Entry[]): Entry[] {
  return [...tabs.slice(0, FIRST_TABS), ...commands, ...tabs.slice(FIRST_TABS)];
}

/** Ranks by match; without a query by recent use, available entries first. */
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

/** Puts a used entry first. */
export function used(recent: readonly string[], id: string): string[] {
  return [id, ...recent.filter((one) => one !== id)].slice(0, MOST_RECENT);
}

/** Whether each typed word starts a search word: single letters would match everything. */
function isMeant(typed: string, { title, words = "" }: Entry): boolean {
  const known = `${title} ${words}`.toLowerCase().split(" ");
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return words !== "" && wanted.every((one) => known.some((word) => word.startsWith(one)));
}

function whyNot(command: Command, aim: Aim): string | undefined {
  if (command.isEnabled?.(aim) !== false) return command.refusal?.(aim);
  const isElsewhere = command.id.startsWith("terminal.") && aim.view?.kind !== "terminal";
  return isElsewhere ? "Works only in a terminal" : "Not available right now";
}
