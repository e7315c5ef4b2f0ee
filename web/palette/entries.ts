// Owns what the palette lists and in which order: the commands of the page, and every view to go
// to. Also owns how well a query matches a text: its letters in order, where word starts and runs
// of letters score higher. Pure.

import type { CommandContext, Command } from "../commands/command.ts";
import { runCommand, getTitle } from "../commands/command.ts";

export interface PaletteEntry {
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

export interface RankedEntry {
  readonly entry: PaletteEntry;
  /** Positions of the matching letters in the title. */
  readonly matchedAt: readonly number[];
}

const MAX_RECENT = 8;
const NEVER = Number.NEGATIVE_INFINITY;

/** Tabs listed before the commands; to find others, people type. */
const FIRST_TABS = 4;

/** Commands that would do nothing from the list. */
const NOT_LISTED = new Set(["page.palette", "view.pick"]);

export function commandEntries(
  commands: readonly Command[],
  context: CommandContext,
): PaletteEntry[] {
  return commands
    .filter(({ id, run }) => run !== undefined && !NOT_LISTED.has(id))
    .map((command) => {
      const refusal = findRefusal(command, context);
      const title = getTitle(command, context);
      // The other half of a toggle can be searched for, too.
      const words = [command.words, title === command.title ? undefined : command.title];
      const all = words.filter((each) => each !== undefined).join(" ");
      return {
        id: command.id,
        title,
        ...(all !== "" && { words: all }),
        keys: command.keys,
        ...(refusal !== undefined && { refusal }),
        run: () => runCommand(command, context),
      };
    });
}

export function viewEntries({ session: { store } }: CommandContext): PaletteEntry[] {
  return (store.views.all.peek() ?? []).map((view) => {
    const summary = store.getSummary(view);
    const [detail] = summary.details;
    return {
      id: `go ${store.views.key(view)}`,
      title: `Go to ${summary.name}`,
      ...(detail !== undefined && { detail }),
      run: () => store.views.enter(view),
    };
  });
}

/** Returns the initial order, in which many tabs do not hide the commands. */
export function orderEntries(
  tabs: readonly PaletteEntry[],
  commands: readonly PaletteEntry[],
): PaletteEntry[] {
  return [...tabs.slice(0, FIRST_TABS), ...commands, ...tabs.slice(FIRST_TABS)];
}

/** Ranks by match; without a query by recent use, available entries first. */
export function rankEntries(
  entries: readonly PaletteEntry[],
  query: string,
  recent: readonly string[],
): RankedEntry[] {
  const found = entries.flatMap((entry) => {
    const { title, words } = entry;
    const fits = match(query, title);
    const meant = matchesKeywords(query, entry) ? match(query, `${title} ${words}`) : undefined;
    const score = Math.max(fits?.score ?? NEVER, meant?.score ?? NEVER);
    return score === NEVER ? [] : { entry, score, matchedAt: fits?.matchedAt ?? [] };
  });
  const recency = ({ id }: PaletteEntry): number => {
    const at = recent.indexOf(id);
    return at < 0 ? recent.length : at;
  };
  const off = ({ refusal }: PaletteEntry): number => (refusal === undefined ? 0 : 1);
  const isTyped = query.trim() !== "";
  return found
    .toSorted(
      (a, b) =>
        (isTyped ? b.score - a.score : 0) ||
        recency(a.entry) - recency(b.entry) ||
        off(a.entry) - off(b.entry),
    )
    .map(({ entry, matchedAt }) => ({ entry, matchedAt }));
}

/** Puts a used entry first. */
export function addRecent(recent: readonly string[], id: string): string[] {
  return [id, ...recent.filter((one) => one !== id)].slice(0, MAX_RECENT);
}

/** Whether each typed word starts a search word: single letters would match everything. */
function matchesKeywords(query: string, { title, words = "" }: PaletteEntry): boolean {
  const known = `${title} ${words}`.toLowerCase().split(" ");
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return words !== "" && wanted.every((one) => known.some((word) => word.startsWith(one)));
}

function findRefusal(command: Command, context: CommandContext): string | undefined {
  if (command.isEnabled?.(context) !== false) return command.refusal?.(context);
  const isElsewhere = command.id.startsWith("terminal.") && context.view?.kind !== "terminal";
  return isElsewhere ? "Works only in a terminal" : "Not available right now";
}

export interface Match {
  /** Higher is better. */
  readonly score: number;
  /** Positions of the matched letters. */
  readonly matchedAt: readonly number[];
}

const LETTER_SCORE = 1;
const RUN_SCORE = 8;
const WORD_START_SCORE = 6;
const TEXT_START_SCORE = 3;

/** Returns the match; undefined if there is none. Words may come in any order. */
export function match(query: string, text: string): Match | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const lower = text.toLowerCase();
  const found = words.map((word) => findBest(word, lower));
  let score = 0;
  for (const one of found) {
    if (one === undefined) return undefined;
    score += one.score;
  }
  const at = new Set(found.flatMap((one) => one?.matchedAt ?? []));
  // Of two equal matches, the shorter text wins.
  return { score: score - text.length / 100, matchedAt: [...at].toSorted((a, b) => a - b) };
}

/** Tries every starting position, of which there are few. */
function findBest(word: string, text: string): Match | undefined {
  let best: Match | undefined;
  for (
    let from = text.indexOf(word[0] ?? "");
    from >= 0;
    from = text.indexOf(word[0] ?? "", from + 1)
  ) {
    const one = matchFrom(word, text, from);
    if (one && one.score > (best?.score ?? Number.NEGATIVE_INFINITY)) best = one;
  }
  return best;
}

function matchFrom(word: string, text: string, from: number): Match | undefined {
  const at: number[] = [];
  let score = from === 0 ? TEXT_START_SCORE : 0;
  let next = from;
  for (const letter of word) {
    const last = at.at(-1);
    const isRun = last !== undefined && text.startsWith(letter, last + letter.length);
    const found = isRun ? last + letter.length : findLetter(letter, text, next);
    if (found < 0) return undefined;
    score +=
      LETTER_SCORE + (isRun ? RUN_SCORE : 0) + (beginsWord(text, found) ? WORD_START_SCORE : 0);
    at.push(found);
    next = found + letter.length;
  }
  return { score, matchedAt: at };
}

/** Finds the letter, preferably at the start of a word. */
function findLetter(letter: string, text: string, from: number): number {
  const first = text.indexOf(letter, from);
  for (let at = first; at >= 0; at = text.indexOf(letter, at + 1))
    if (beginsWord(text, at)) return at;
  return first;
}

function beginsWord(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}’]/u.test(text[at - 1] ?? "");
}
