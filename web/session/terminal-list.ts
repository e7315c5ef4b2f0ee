// Owns pure changes to the list of terminals, as the room reports them, and how terminals ended.
// Ended ones stay until they are dismissed.

import { compact } from "../../protocol/compact.ts";
import type { Role } from "../../protocol/grant.ts";
import type { Running } from "../../protocol/pty.ts";
import type { Exit, Terminal, TerminalEvent } from "../../protocol/terminal.ts";

/**
 * "gone": it ended and we do not know how. "unseen": we may no longer see it, and do not know
 * whether it ended. `onPurpose`: a person closed it, `by` name.
 */
export type TerminalEnd = (Exit & { readonly onPurpose?: true; readonly by?: string }) | LostState;
export type LostState = "gone" | "unseen";

export interface TerminalEntry {
  readonly terminal: Terminal;
  readonly ended?: TerminalEnd;
  /** The program in front, as last reported by the bridge. */
  readonly running?: Running;
}

export type Terminals = readonly TerminalEntry[];

/** A tab that shows a terminal. */
export interface TerminalView {
  readonly kind: "terminal";
  readonly terminalId: string;
}

export function toTerminalView(id: string): TerminalView {
  return { kind: "terminal", terminalId: id };
}

/** Whether its view was opened on this page: then its end must be shown. */
export type IsOpened = (id: string) => boolean;

/** Returns what a missing terminal means: ended for editors, perhaps only hidden for watchers. */
export function getLostState(role: Role): LostState {
  return role === "edit" ? "gone" : "unseen";
}

/** Merges the full list; `lost` is the state of known terminals that it lacks. */
export function mergeTerminals(
  all: Terminals,
  terminals: readonly Terminal[],
  isOpened: IsOpened,
  lost: LostState = "gone",
) {
  const now = new Map(terminals.map((terminal) => [terminal.id, terminal]));
  const kept = all.flatMap((one): TerminalEntry[] => {
    const { id } = one.terminal;
    const terminal = now.get(id);
    now.delete(id);
    if (terminal) return [markPresent(one, terminal)];
    if (one.ended) return [one];
    const isMissed = isOpened(id) || one.terminal.conversation !== undefined;
    return isMissed ? [{ ...one, ended: lost }] : [];
  });
  const added = [...now.values()].sort((a, b) => a.createdAt - b.createdAt);
  return sortByNumber([...kept, ...added.map((terminal) => ({ terminal }))]);
}

/** Adds or updates a terminal, from an event, from the answer to our own spawn, or from both. */
export function putTerminal(all: Terminals, terminal: Terminal): Terminals {
  if (!findTerminal(all, terminal.id)) return sortByNumber([...all, { terminal }]);
  return updateTerminal(all, terminal.id, (one) => markPresent(one, terminal));
}

/** Updates an entry; one that was unseen counts as running again. */
function markPresent({ ended, ...one }: TerminalEntry, terminal: Terminal): TerminalEntry {
  const isOver = ended !== undefined && ended !== "unseen";
  return { ...one, terminal, ...(isOver && { ended }) };
}

export function closeTerminal(
  all: Terminals,
  terminal: Terminal,
  how: TerminalEnd,
  isOpened: IsOpened,
): Terminals {
  // A conversation still shows it.
  if (terminal.conversation !== undefined) return markExited(all, terminal.id, how);
  // An agent's background command that was never opened here disappears without a trace.
  if (!isOpened(terminal.id) && !terminal.visible) return removeTerminal(all, terminal.id);
  // A terminal that exited cleanly and was never opened here is removed, too.
  if (!isOpened(terminal.id) && isCleanExit(how)) return removeTerminal(all, terminal.id);
  return markExited(all, terminal.id, how);
}

/** Removes terminals that people closed and that are not in sight, so that they do not pile up. */
export function dropClosed(all: Terminals, isInSight: (id: string) => boolean): Terminals {
  const isOver = ({ terminal, ended }: TerminalEntry): boolean =>
    typeof ended === "object" && ended.onPurpose === true && !isInSight(terminal.id);
  return all.some(isOver) ? all.filter((one) => !isOver(one)) : all;
}

function isCleanExit(how: TerminalEnd): boolean {
  return typeof how === "object" && (how.onPurpose === true || how.exitCode === 0);
}

/** Returns how an event's terminal ended. A terminal without a folder is one that we may not see. */
export function toTerminalEnd({
  terminal,
  exit,
  onPurpose,
  by,
}: Pick<TerminalEvent, "terminal" | "exit" | "onPurpose" | "by">): TerminalEnd {
  if (exit === undefined) return terminal.cwd === "" ? "unseen" : "gone";
  return onPurpose === true ? { ...exit, onPurpose, ...compact({ by }) } : exit;
}

/** Marks all terminals as gone, because the host ended on purpose. */
export function markAllGone(all: Terminals): Terminals {
  return all.map((one) => (one.ended ? one : { ...one, ended: "gone" }));
}

/** Lists the ids of ended terminals, which can be removed from the page. */
export function listEnded(all: Terminals): readonly string[] {
  return all.flatMap(({ terminal, ended }) => (ended ? [terminal.id] : []));
}

export function markExited(all: Terminals, id: string, ended: TerminalEnd): Terminals {
  return updateTerminal(all, id, (one) => ({
    ...one,
    ended: typeof ended === "string" ? (one.ended ?? ended) : ended,
  }));
}

export function removeTerminal(all: Terminals, id: string): Terminals {
  return all.filter(({ terminal }) => terminal.id !== id);
}

export function setTitle(all: Terminals, id: string, title: string): Terminals {
  return updateTerminal(all, id, (one) => ({ ...one, terminal: { ...one.terminal, title } }));
}

export function setRunning(all: Terminals, reports: readonly Running[]): Terminals {
  return reports.reduce(
    (now, running) => updateTerminal(now, running.id, (one) => ({ ...one, running })),
    all,
  );
}

export function findTerminal(all: Terminals, id: string | undefined): TerminalEntry | undefined {
  return all.find(({ terminal }) => terminal.id === id);
}

/** Whether it runs and counts as a terminal, as on the host: a mirror of commands does not. */
export function isCountedRunning({ ended, terminal }: TerminalEntry): boolean {
  return ended === undefined && terminal.feed !== true;
}

/** Whether people may type into it; agents' terminals take only their own input. */
export function takesInput(one: TerminalEntry | undefined): boolean {
  return one !== undefined && !one.ended && one.terminal.owner === "user";
}

/** Whether this page, by its number in the room, has stepped into this agent's terminal. */
export function hasSteppedIn(one: TerminalEntry | undefined, you: number | undefined): boolean {
  return you !== undefined && one?.terminal.steppedIn?.peer === you && !one.ended;
}

/** Whether this page's keys go to it. */
export function takesKeys(one: TerminalEntry | undefined, you: number | undefined): boolean {
  return takesInput(one) || hasSteppedIn(one, you);
}

/** Whether it has a tab: one that a conversation shows has none, unless a person opened it. */
export function hasTab({ terminal }: TerminalEntry, tabs: ReadonlySet<string>): boolean {
  return terminal.conversation === undefined || tabs.has(terminal.id);
}

/** Sorts by number, which is the same for everyone; without numbers the order stays. */
function sortByNumber(all: Terminals): Terminals {
  return all.toSorted((a, b) => (a.terminal.number ?? 0) - (b.terminal.number ?? 0));
}

function updateTerminal(
  all: Terminals,
  id: string,
  by: (one: TerminalEntry) => TerminalEntry,
): Terminals {
  return all.map((one) => (one.terminal.id === id ? by(one) : one));
}
