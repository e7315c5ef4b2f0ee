// Owns parsing an agent's `session/update`: known kinds with their required fields, each text
// bounded. Unknown or malformed updates are ignored. Pure.

import * as z from "zod/mini";
import type { ToolContent, ToolStatus } from "../../protocol/conversation.ts";
import { KiB } from "../../protocol/limits.ts";
import { lenient, orElse, some } from "../lenient.ts";
import { shownJson } from "./shown-json.ts";

/** Limit of one text; the rest is cut. An entry must fit a frame as JSON. */
export const MOST_TEXT = 12 * KiB;
const MOST_TITLE = 400;
const MOST_PIECES = 12;
const MOST_LOCATIONS = 32;
const MOST_STEPS = 50;
/** Commands and modes are sent with every change of a conversation, in one frame with the rest. */
const MOST_COMMANDS = 64;
const MOST_MODES = 20;
const MOST_LABEL = 120;
const MOST_ID = 256;

export interface ToolPatch {
  readonly id: string;
  readonly title?: string | undefined;
  readonly tool?: string | undefined;
  readonly status?: ToolStatus | undefined;
  readonly locations?: readonly { path: string; line?: number }[] | undefined;
  readonly content?: readonly ToolContent[] | undefined;
  readonly input?: string | undefined;
}

export type Step = {
  text: string;
  priority: "high" | "medium" | "low";
  status: "pending" | "in_progress" | "completed";
};

export interface Modes {
  readonly current: string;
  readonly available: readonly { id: string; name: string; description?: string }[];
}

/** An update about a terminal that the agent runs itself, in any of the protocol's forms. */
export type TerminalNews =
  | { readonly news: "info"; readonly id: string; readonly command?: string | undefined }
  | { readonly news: "output"; readonly id: string; readonly data: string | Buffer }
  /** The terminal's complete output so far. */
  | { readonly news: "snapshot"; readonly id: string; readonly data: Buffer }
  | { readonly news: "exit"; readonly id: string; readonly exit: string };

export type Update =
  | {
      readonly kind: "text";
      readonly of: "user" | "message" | "thought";
      readonly text: string;
      readonly message?: string | undefined;
    }
  | { readonly kind: "tool"; readonly patch: ToolPatch; readonly terminals: TerminalNews[] }
  | { readonly kind: "plan"; readonly steps: Step[] }
  | {
      readonly kind: "commands";
      readonly commands: { name: string; description: string; hint?: string }[];
    }
  | { readonly kind: "mode"; readonly current: string }
  | { readonly kind: "title"; readonly title: string }
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "terminals"; readonly terminals: TerminalNews[] };

const Text = z.string();
const Id = z.string().check(z.minLength(1), z.maxLength(MOST_ID));
const Block = z.looseObject({
  type: z.string(),
  text: lenient(Text),
  uri: lenient(Text),
  name: lenient(Text),
  mimeType: lenient(Text),
  resource: lenient(z.looseObject({ uri: lenient(Text), text: lenient(Text) })),
});
type Block = z.infer<typeof Block>;

const Piece = z.looseObject({
  type: z.string(),
  content: lenient(Block),
  path: lenient(Text),
  oldText: lenient(Text),
  newText: lenient(Text),
  terminalId: lenient(Id),
});

const Location = z.looseObject({ path: Text, line: lenient(z.int()) });

const Meta = z.looseObject({
  terminal_info: lenient(z.looseObject({ terminal_id: Id, command: lenient(Text) })),
  terminal_output: lenient(z.looseObject({ terminal_id: Id, data: Text })),
  terminal_exit: lenient(
    z.looseObject({ terminal_id: Id, exit_code: lenient(z.int()), signal: lenient(Text) }),
  ),
});

const STATUSES = ["pending", "in_progress", "completed", "failed"] as const;

export const ToolCall = z.looseObject({
  toolCallId: Id,
  title: lenient(Text),
  kind: lenient(z.string().check(z.maxLength(32))),
  status: lenient(z.enum(STATUSES)),
  content: some(Piece),
  locations: some(Location),
  rawInput: z.optional(z.unknown()),
  _meta: lenient(Meta),
});
export type ToolCall = z.infer<typeof ToolCall>;

const Chunk = z.looseObject({ content: Block, messageId: lenient(Id) });
const Plan = z.looseObject({
  entries: some(
    z.looseObject({
      content: Text,
      priority: orElse(z.enum(["high", "medium", "low"]), "medium"),
      status: orElse(z.enum(["pending", "in_progress", "completed"]), "pending"),
    }),
  ),
});
const Commands = z.looseObject({
  availableCommands: some(
    z.looseObject({
      name: z.string().check(z.minLength(1), z.maxLength(MOST_LABEL)),
      description: orElse(Text, ""),
      input: lenient(z.looseObject({ hint: lenient(Text) })),
    }),
  ),
});
const Exit = z.looseObject({ exitCode: lenient(z.int()), signal: lenient(Text) });
const TerminalUpdate = z.looseObject({
  terminalId: Id,
  command: lenient(Text),
  output: lenient(z.looseObject({ data: Text })),
  exitStatus: lenient(Exit),
});
const OutputChunk = z.looseObject({ terminalId: Id, data: Text });

export const ModeState = z.looseObject({
  currentModeId: Id,
  availableModes: some(z.looseObject({ id: Id, name: Text, description: lenient(Text) })),
});

/** Parsers by name on the wire: those of version 1, and version 2's two about terminals. */
const KINDS: Readonly<Record<string, (value: unknown) => Update | undefined>> = {
  user_message_chunk: (value) => textOf("user", value),
  agent_message_chunk: (value) => textOf("message", value),
  agent_thought_chunk: (value) => textOf("thought", value),
  tool_call: toolOf,
  tool_call_update: toolOf,
  plan: (value) => {
    const plan = Plan.safeParse(value);
    if (!plan.success) return undefined;
    const steps = present(plan.data.entries)
      .slice(0, MOST_STEPS)
      .map(({ content, priority, status }) => ({
        text: cut(content, MOST_TITLE),
        priority,
        status,
      }));
    return { kind: "plan", steps };
  },
  available_commands_update: (value) => {
    const told = Commands.safeParse(value);
    if (!told.success) return undefined;
    const commands = present(told.data.availableCommands)
      .slice(0, MOST_COMMANDS)
      .map(({ name, description, input }) => ({
        name,
        description: cut(description, MOST_LABEL),
        ...(input?.hint === undefined || input.hint === null
          ? {}
          : { hint: cut(input.hint, MOST_LABEL) }),
      }));
    return { kind: "commands", commands };
  },
  current_mode_update: (value) => {
    const mode = z.looseObject({ currentModeId: Id }).safeParse(value);
    return mode.success ? { kind: "mode", current: mode.data.currentModeId } : undefined;
  },
  session_info_update: (value) => {
    const info = z.looseObject({ title: Text }).safeParse(value);
    return info.success ? { kind: "title", title: cut(info.data.title, MOST_TITLE) } : undefined;
  },
  notice: (value) => {
    const notice = z.looseObject({ title: Text, description: lenient(Text) }).safeParse(value);
    if (!notice.success) return undefined;
    const { title, description } = notice.data;
    return { kind: "note", text: cut([title, description ?? ""].join("\n").trim(), MOST_TITLE) };
  },
  compaction_update: (value) => {
    const compaction = z.looseObject({ status: Text }).safeParse(value);
    if (!compaction.success) return undefined;
    return {
      kind: "note",
      text: `compacting the conversation: ${cut(compaction.data.status, 60)}`,
    };
  },
  terminal_update: (value) => {
    const parsed = TerminalUpdate.safeParse(value);
    if (!parsed.success) return undefined;
    const { terminalId: id, command, output, exitStatus } = parsed.data;
    const terminals: TerminalNews[] = [{ news: "info", id, command: command ?? undefined }];
    if (isThere(output)) terminals.push({ news: "snapshot", id, data: bytesOf(output.data) });
    if (isThere(exitStatus)) {
      const { exitCode, signal } = exitStatus;
      terminals.push({ news: "exit", id, exit: exitWords(exitCode, signal) });
    }
    return { kind: "terminals", terminals };
  },
  terminal_output_chunk: (value) => {
    const parsed = OutputChunk.safeParse(value);
    if (!parsed.success) return undefined;
    const { terminalId: id, data } = parsed.data;
    return { kind: "terminals", terminals: [{ news: "output", id, data: bytesOf(data) }] };
  },
};

/** Parses an update; undefined if it is unknown or malformed. */
export function updateOf(value: unknown): Update | undefined {
  const kind = z.looseObject({ sessionUpdate: z.string() }).safeParse(value);
  if (!kind.success || !Object.hasOwn(KINDS, kind.data.sessionUpdate)) return undefined;
  return KINDS[kind.data.sessionUpdate]?.(value);
}

export function modesOf(value: unknown): Modes | undefined {
  const parsed = ModeState.safeParse(value);
  if (!parsed.success) return undefined;
  const available = present(parsed.data.availableModes)
    .slice(0, MOST_MODES)
    .map(({ id, name, description }) => ({
      id,
      name: cut(name, MOST_LABEL),
      ...(isThere(description) ? { description: cut(description, MOST_LABEL) } : {}),
    }));
  return { current: parsed.data.currentModeId, available };
}

/** Converts a tool call into an entry's fields; also used for permission requests. */
export function patchOf(call: ToolCall): ToolPatch {
  const { toolCallId: id, title, kind, status, content, locations, rawInput } = call;
  return {
    id,
    title: isThere(title) ? cut(title, MOST_TITLE) : undefined,
    tool: kind ?? undefined,
    status: status ?? undefined,
    locations: isThere(locations)
      ? present(locations)
          .slice(0, MOST_LOCATIONS)
          .map(({ path, line }) => ({
            path: cut(path, MOST_TITLE),
            ...(isThere(line) ? { line } : {}),
          }))
      : undefined,
    content: isThere(content)
      ? present(content)
          .slice(0, MOST_PIECES)
          .flatMap((piece) => pieceOf(piece) ?? [])
      : undefined,
    input: inputOf(rawInput),
  };
}

function toolOf(value: unknown): Update | undefined {
  const call = ToolCall.safeParse(value);
  if (!call.success) return undefined;
  return { kind: "tool", patch: patchOf(call.data), terminals: newsIn(call.data._meta) };
}

function textOf(of: "user" | "message" | "thought", value: unknown): Update | undefined {
  const chunk = Chunk.safeParse(value);
  if (!chunk.success) return undefined;
  const { content, messageId } = chunk.data;
  return { kind: "text", of, text: wordsOf(content), message: messageId ?? undefined };
}

function newsIn(meta: z.infer<typeof Meta> | null | undefined): TerminalNews[] {
  const { terminal_info: info, terminal_output: output, terminal_exit: exit } = meta ?? {};
  return [
    ...(isThere(info)
      ? [{ news: "info", id: info.terminal_id, command: info.command ?? undefined } as const]
      : []),
    ...(isThere(output)
      ? [{ news: "output", id: output.terminal_id, data: output.data } as const]
      : []),
    ...(isThere(exit)
      ? [
          {
            news: "exit",
            id: exit.terminal_id,
            exit: exitWords(exit.exit_code, exit.signal),
          } as const,
        ]
      : []),
  ];
}

function pieceOf(piece: z.infer<typeof Piece>): ToolContent | undefined {
  const { type, content, path, oldText, newText, terminalId } = piece;
  if (type === "content" && isThere(content)) return { type: "text", text: wordsOf(content) };
  if (type === "terminal" && isThere(terminalId)) return { type: "terminal", terminal: terminalId };
  if (type !== "diff" || !isThere(path) || !isThere(newText)) return undefined;
  return {
    type: "diff",
    path: cut(path, MOST_TITLE),
    oldText: isThere(oldText) ? cut(oldText, MOST_TEXT) : null,
    newText: cut(newText, MOST_TEXT),
  };
}

/** Converts a block to text; other content is named by its type. */
function wordsOf({ type, text, uri, name, mimeType, resource }: Block): string {
  if (type === "text") return cut(text ?? "", MOST_TEXT);
  if (type === "resource_link") return cut(`[${name ?? "link"}](${uri ?? ""})`, MOST_TITLE);
  if (type === "resource") return cut(resource?.text ?? resource?.uri ?? "", MOST_TEXT);
  return `[${cut(type, 40)}${isThere(mimeType) ? `: ${cut(mimeType, 60)}` : ""}]`;
}

/** Returns the command if there is one, else the whole input. */
function inputOf(raw: unknown): string | undefined {
  if (raw === undefined || raw === null) return undefined;
  const command = z.looseObject({ command: z.string() }).safeParse(raw);
  if (command.success) return cut(command.data.command, MOST_TEXT);
  return cut(typeof raw === "string" ? raw : shownJson(raw, MOST_TEXT), MOST_TEXT);
}

export function exitWords(code: number | null | undefined, signal: string | null | undefined) {
  if (isThere(code)) return `exit ${code}`;
  return isThere(signal) && signal !== "" ? cut(signal, 40) : "ended";
}

/** Control characters except tab and line breaks, and unpaired surrogates. */
const UNSEEN = /(?![\t\n\r])[\p{Cc}\p{Cs}]/gu;

/** Cuts a text. Replaces control characters, which JSON would escape with six bytes each. */
export function cut(text: string, most: number): string {
  const isLong = text.length > most;
  const short = (isLong ? text.slice(0, most) : text).replaceAll(UNSEEN, "\uFFFD");
  return isLong ? `${short}…` : short;
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}

function isThere<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

function present<T>(values: readonly T[] | undefined): readonly T[] {
  return values ?? [];
}
