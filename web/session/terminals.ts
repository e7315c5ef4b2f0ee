// Owns the list of terminals as pure changes: what the room says about them, and how they ended. One
// that ended stays until it is dismissed.

import type { Role } from "../../protocol/grant.ts";
import type { Running } from "../../protocol/pty.ts";
import type { Exit, Terminal, TerminalEvent } from "../../protocol/terminal.ts";

/**
 * "gone": it ended while nobody told us how. "unseen": this page is told no more of it, and not
 * whether it ended. `onPurpose`: somebody closed it, `by` name.
 */
export type Ended = (Exit & { readonly onPurpose?: true; readonly by?: string }) | Lost;
export type Lost = "gone" | "unseen";

export interface Known {
  readonly terminal: Terminal;
  readonly ended?: Ended;
  /** What stands in front of it, as far as the bridge told. */
  readonly running?: Running;
}

export type Terminals = readonly Known[];

/** A tab that shows a terminal. */
export interface TerminalView {
  readonly kind: "terminal";
  readonly terminalId: string;
}

export function viewOf(id: string): TerminalView {
  return { kind: "terminal", terminalId: id };
}

/** Whether its view was opened on this page: then it is missed when it is gone. */
export type IsOpened = (id: string) => boolean;

/** What is not there any more has ended for those who see all; the others may have lost sight of it. */
export function lostTo(role: Role): Lost {
  return role === "edit" ? "gone" : "unseen";
}

/** The whole list, told on joining and when the bridge is back; `lost`: what it lacks is so. */
export function listed(
  all: Terminals,
  terminals: readonly Terminal[],
  isOpened: IsOpened,
  lost: Lost = "gone",
) {
  const now = new Map(terminals.map((terminal) => [terminal.id, terminal]));
  const kept = all.flatMap((one): Known[] => {
    const { id } = one.terminal;
    const terminal = now.get(id);
    now.delete(id);
    if (terminal) return [there(one, terminal)];
    if (one.ended) return [one];
    const isMissed = isOpened(id) || one.terminal.conversation !== undefined;
    return isMissed ? [{ ...one, ended: lost }] : [];
  });
  const added = [...now.values()].sort((a, b) => a.createdAt - b.createdAt);
  return inOrder([...kept, ...added.map((terminal) => ({ terminal }))]);
}

/** Created or promoted; told by the event, by the answer to our own spawn, or by both. */
export function known(all: Terminals, terminal: Terminal): Terminals {
  if (!find(all, terminal.id)) return inOrder([...all, { terminal }]);
  return change(all, terminal.id, (one) => there(one, terminal));
}

/** One that was out of sight runs on. */
function there({ ended, ...one }: Known, terminal: Terminal): Known {
  const isOver = ended !== undefined && ended !== "unseen";
  return { ...one, terminal, ...(isOver && { ended }) };
}

export function closed(
  all: Terminals,
  terminal: Terminal,
  how: Ended,
  isOpened: IsOpened,
): Terminals {
  // A conversation shows it on.
  if (terminal.conversation !== undefined) return exited(all, terminal.id, how);
  // An agent's background command that nobody looked at comes and goes without a trace.
  if (!isOpened(terminal.id) && !terminal.visible) return dismissed(all, terminal.id);
  // What ended well and was never looked at here is missed by nobody, either.
  if (!isOpened(terminal.id) && endedWell(how)) return dismissed(all, terminal.id);
  return exited(all, terminal.id, how);
}

/** Those that somebody closed go once nobody looks at them: they would pile up at everybody else's. */
export function withoutClosed(all: Terminals, isInSight: (id: string) => boolean): Terminals {
  const isOver = ({ terminal, ended }: Known): boolean =>
    typeof ended === "object" && ended.onPurpose === true && !isInSight(terminal.id);
  return all.some(isOver) ? all.filter((one) => !isOver(one)) : all;
}

function endedWell(how: Ended): boolean {
  return typeof how === "object" && (how.onPurpose === true || how.exitCode === 0);
}

/** How an event says that a terminal ended. Of what is kept from us it says no folder. */
export function endedBy({
  terminal,
  exit,
  onPurpose,
  by,
}: Pick<TerminalEvent, "terminal" | "exit" | "onPurpose" | "by">): Ended {
  if (exit === undefined) return terminal.cwd === "" ? "unseen" : "gone";
  return onPurpose === true ? { ...exit, onPurpose, ...(by === undefined ? {} : { by }) } : exit;
}

/** The host ended on purpose: nothing of it runs any more. */
export function allGone(all: Terminals): Terminals {
  return all.map((one) => (one.ended ? one : { ...one, ended: "gone" }));
}

/** Those that have ended, and can be taken off the page. */
export function endedOnes(all: Terminals): readonly string[] {
  return all.flatMap(({ terminal, ended }) => (ended ? [terminal.id] : []));
}

export function exited(all: Terminals, id: string, ended: Ended): Terminals {
  return change(all, id, (one) => ({
    ...one,
    ended: typeof ended === "string" ? (one.ended ?? ended) : ended,
  }));
}

export function dismissed(all: Terminals, id: string): Terminals {
  return all.filter(({ terminal }) => terminal.id !== id);
}

export function retitled(all: Terminals, id: string, title: string): Terminals {
  return change(all, id, (one) => ({ ...one, terminal: { ...one.terminal, title } }));
}

export function ran(all: Terminals, told: readonly Running[]): Terminals {
  return told.reduce(
    (now, running) => change(now, running.id, (one) => ({ ...one, running })),
    all,
  );
}

export function find(all: Terminals, id: string | undefined): Known | undefined {
  return all.find(({ terminal }) => terminal.id === id);
}

/** Whether somebody may type into it; an agent's terminal is its own. */
export function takesInput(one: Known | undefined): boolean {
  return one !== undefined && !one.ended && one.terminal.owner === "user";
}

/** Whether it is an agent's terminal that this page, by its number in the room, has stepped in to. */
export function hasSteppedIn(one: Known | undefined, you: number | undefined): boolean {
  return you !== undefined && one?.terminal.steppedIn?.peer === you && !one.ended;
}

/** Whether keys of this page go to it. */
export function takesKeys(one: Known | undefined, you: number | undefined): boolean {
  return takesInput(one) || hasSteppedIn(one, you);
}

/** Whether it has a tab: one that a conversation shows has none, unless somebody opened it. */
export function hasTab({ terminal }: Known, tabs: ReadonlySet<string>): boolean {
  return terminal.conversation === undefined || tabs.has(terminal.id);
}

/** By their numbers, which are the same for everybody; as they came where a bridge gives none. */
function inOrder(all: Terminals): Terminals {
  return all.toSorted((a, b) => (a.terminal.number ?? 0) - (b.terminal.number ?? 0));
}

function change(all: Terminals, id: string, by: (one: Known) => Known): Terminals {
  return all.map((one) => (one.terminal.id === id ? by(one) : one));
}
