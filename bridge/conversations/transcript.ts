// Owns the entries of a conversation: built from updates, bounded in number and size. Takes a
// transcript and an event, returns a transcript and its changes. Pure: the time comes with the
// event.

import type { Entry, ToolContent } from "../../protocol/conversation.ts";
import { KiB, MiB } from "../../protocol/limits.ts";
import { cutToEntry, MAX_ENTRY_CHARS, limitContent, mergeContent } from "./tool-content.ts";
import type { Step } from "./update-parser.ts";
import type { ToolPatch } from "./tool-call.ts";
import { cut } from "./bounded-text.ts";

export const MAX_ENTRIES = 2_000;
/** Characters of all entries. */
export const MAX_TRANSCRIPT_CHARS = 4 * MiB;

export interface Transcript {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  readonly chars: number;
  /** Whether older entries were dropped. */
  readonly isCut: boolean;
  /** Number of the next entry. */
  readonly next: number;
  /** Id of the agent's message that the last text belongs to. */
  readonly message?: string | undefined;
}

export const EMPTY_TRANSCRIPT: Transcript = { entries: [], chars: 0, isCut: false, next: 1 };

export type TranscriptEvent =
  | { readonly event: "prompt"; readonly by: string; readonly text: string }
  /** More text of the agent. */
  | {
      readonly event: "text";
      readonly of: "message" | "thought";
      readonly text: string;
      readonly message?: string | undefined;
    }
  | { readonly event: "said"; readonly by: string; readonly text: string }
  | { readonly event: "tool"; readonly patch: ToolPatch }
  | { readonly event: "plan"; readonly steps: Step[] }
  | { readonly event: "asked"; readonly approval: string; readonly title: string }
  | {
      readonly event: "answered";
      readonly approval: string;
      readonly outcome: "allowed" | "denied" | "withdrawn";
    }
  | { readonly event: "turn"; readonly reason: string }
  | { readonly event: "note"; readonly text: string }
  /** The agent's terminal `as` is the room's terminal `terminal`. */
  | { readonly event: "shown"; readonly as: string; readonly terminal: string }
  /** A terminal's exit, or the text that is left of it. */
  | {
      readonly event: "terminal";
      readonly terminal: string;
      readonly text?: string | undefined;
      readonly exit?: string | undefined;
    };

export type Change =
  | { readonly change: "entry"; readonly entry: Entry }
  | { readonly change: "text"; readonly id: string; readonly text: string };

export interface ReduceResult {
  readonly transcript: Transcript;
  readonly changes: readonly Change[];
}

type NewEntry = Entry extends infer One
  ? One extends Entry
    ? Omit<One, "id" | "at">
    : never
  : never;

export function reduceTranscript(
  before: Transcript,
  event: TranscriptEvent,
  at: number,
): ReduceResult {
  switch (event.event) {
    case "prompt":
      return add(before, { kind: "prompt", by: event.by, text: cutToEntry(event.text) }, at);
    case "said":
      return appendPrompt(before, event, at);
    case "text":
      return appendText(before, event, at);
    case "tool":
      return applyTool(before, event.patch, at);
    case "plan":
      return applyPlan(before, event.steps, at);
    case "asked": {
      const title = cut(event.title, 400);
      return add(before, { kind: "permission", approval: event.approval, title }, at);
    }
    case "answered":
      return change(
        before,
        (entry) => entry.kind === "permission" && entry.approval === event.approval,
        (entry) => ({ ...entry, outcome: event.outcome }),
      );
    case "turn":
      return add(before, { kind: "turn", reason: cut(event.reason, 100) }, at);
    case "note":
      return add(before, { kind: "note", text: cut(event.text, 2_000) }, at);
    case "shown":
      return updateTerminalPieces(before, event.as, (piece) => ({
        ...piece,
        terminal: event.terminal,
      }));
    case "terminal": {
      const { text: left, exit } = event;
      return updateTerminalPieces(before, event.terminal, (piece) => ({
        ...piece,
        ...(left === undefined ? {} : { text: cut(left, 8 * KiB) }),
        ...(exit === undefined ? {} : { exit }),
      }));
    }
  }
}

/** Returns an entry's size in characters, the unit of the limits. */
export function countChars(entry: Entry): number {
  return JSON.stringify(entry).length;
}

function appendPrompt(
  before: Transcript,
  { by, text: more }: { by: string; text: string },
  at: number,
): ReduceResult {
  const last = before.entries.at(-1);
  if (last?.kind === "prompt" && last.text.length + more.length <= MAX_ENTRY_CHARS) {
    return replace(before, last, { ...last, text: last.text + cut(more, MAX_ENTRY_CHARS) });
  }
  return add(before, { kind: "prompt", by, text: cutToEntry(more) }, at);
}

function appendText(
  before: Transcript,
  { of, text: given, message }: Extract<TranscriptEvent, { event: "text" }>,
  at: number,
): ReduceResult {
  const more = cutToEntry(given);
  if (more === "") return { transcript: before, changes: [] };
  const last = before.entries.at(-1);
  const isSame = last?.kind === of && before.message === message;
  if (!isSame || last.text.length + more.length > MAX_ENTRY_CHARS) {
    const added = add(before, { kind: of, text: more }, at);
    return { ...added, transcript: { ...added.transcript, message } };
  }
  const entries = [...before.entries.slice(0, -1), { ...last, text: last.text + more }];
  const grown = { ...before, entries, chars: before.chars + JSON.stringify(more).length - 2 };
  return {
    transcript: trim(grown),
    changes: [{ change: "text", id: last.id, text: more }],
  };
}

/** Adds or updates a tool call by its own id, at any time: agents run several at once. */
function applyTool(before: Transcript, patch: ToolPatch, at: number): ReduceResult {
  const id = toolId(patch.id);
  const known = before.entries.findLast((entry) => entry.id === id);
  const { tool: kind, status, locations, content, input } = patch;
  const title = patch.title === undefined ? undefined : cut(patch.title, 400);
  if (known?.kind === "tool") {
    const after: Entry = {
      ...known,
      title: title ?? known.title,
      tool: kind ?? known.tool,
      status: status ?? known.status,
      locations: locations === undefined ? known.locations : [...locations],
      content:
        content === undefined ? known.content : limitContent(mergeContent(known.content, content)),
      ...(input === undefined ? {} : { input: cut(input, 4 * KiB) }),
    };
    return replace(before, known, after);
  }
  const entry: Entry = {
    id,
    at,
    kind: "tool",
    title: title ?? "",
    tool: kind ?? "other",
    status: status ?? "pending",
    locations: [...(locations ?? [])],
    content: limitContent(content ?? []),
    ...(input === undefined ? {} : { input: cut(input, 4 * KiB) }),
  };
  return put(before, entry);
}

/** Adds a plan, or replaces the last one if no prompt came since. */
function applyPlan(before: Transcript, steps: Step[], at: number): ReduceResult {
  const since = before.entries.findLastIndex(({ kind }) => kind === "prompt");
  const known = before.entries.slice(since + 1).findLast(({ kind }) => kind === "plan");
  if (known?.kind !== "plan") return add(before, { kind: "plan", steps }, at);
  return replace(before, known, { ...known, steps });
}

type TerminalPiece = Extract<ToolContent, { type: "terminal" }>;

/** Changes every piece that shows the terminal. */
function updateTerminalPieces(
  before: Transcript,
  id: string,
  after: (piece: TerminalPiece) => TerminalPiece,
): ReduceResult {
  const showsTerminal = (piece: ToolContent) => piece.type === "terminal" && piece.terminal === id;
  return change(
    before,
    (entry) => entry.kind === "tool" && entry.content.some(showsTerminal),
    (entry) => {
      if (entry.kind !== "tool") return entry;
      const content = entry.content.map((piece) =>
        piece.type === "terminal" && showsTerminal(piece) ? after(piece) : piece,
      );
      return { ...entry, content: limitContent(content) };
    },
  );
}

/** Returns an entry id that cannot collide with our own numbers. */
function toolId(id: string): string {
  return `t-${id}`;
}

function add(before: Transcript, fresh: NewEntry, at: number): ReduceResult {
  const numbered = put(before, { id: `e-${before.next}`, at, ...fresh });
  return {
    ...numbered,
    transcript: { ...numbered.transcript, next: before.next + 1, message: undefined },
  };
}

function put(before: Transcript, entry: Entry): ReduceResult {
  const entries = [...before.entries, entry];
  const transcript = trim({ ...before, entries, chars: before.chars + countChars(entry) });
  return { transcript, changes: [{ change: "entry", entry }] };
}

function replace(before: Transcript, known: Entry, after: Entry): ReduceResult {
  const at = before.entries.lastIndexOf(known);
  // The entry was dropped meanwhile.
  if (at === -1) return { transcript: before, changes: [] };
  const entries = before.entries.with(at, after);
  const chars = before.chars - countChars(known) + countChars(after);
  return {
    transcript: trim({ ...before, entries, chars }),
    changes: [{ change: "entry", entry: after }],
  };
}

function change(
  before: Transcript,
  isMeant: (entry: Entry) => boolean,
  after: (entry: Entry) => Entry,
): ReduceResult {
  const meant = before.entries.filter(isMeant);
  let transcript = before;
  const changes: Change[] = [];
  for (const entry of meant) {
    const step = replace(transcript, entry, after(entry));
    transcript = step.transcript;
    changes.push(...step.changes);
  }
  return { transcript, changes };
}

/** Drops the oldest entries beyond the limits; the newest always stays. */
function trim(transcript: Transcript): Transcript {
  let { chars } = transcript;
  const { entries } = transcript;
  let from = 0;
  while (
    from < entries.length - 1 &&
    (entries.length - from > MAX_ENTRIES || chars > MAX_TRANSCRIPT_CHARS)
  ) {
    const entry = entries[from];
    if (entry !== undefined) chars -= countChars(entry);
    from += 1;
  }
  return from === 0
    ? transcript
    : { ...transcript, entries: entries.slice(from), chars, isCut: true };
}
