// Owns parsing an agent's `session/update`: known kinds with their required fields, each text
// bounded. Unknown or malformed updates are ignored. Pure.

import * as z from "zod/mini";
import type { ToolContent, ToolStatus } from "../../protocol/conversation.ts";
import { KiB } from "../../protocol/limits.ts";
import { validOrUndefined, withDefault, validItems } from "../lenient-schemas.ts";
import { formatJson } from "./content-format.ts";

/** Limit of one text; the rest is cut. An entry must fit a frame as JSON. */
export const MAX_TEXT = 12 * KiB;
const MAX_TITLE = 400;
const MAX_PIECES = 12;
const MAX_LOCATIONS = 32;
const MAX_STEPS = 50;
/** Commands and modes are sent with every change of a conversation, in one frame with the rest. */
const MAX_COMMANDS = 64;
const MAX_MODES = 20;
const MAX_LABEL = 120;
const MAX_ID = 256;

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
export type TerminalUpdateEvent =
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
  | { readonly kind: "tool"; readonly patch: ToolPatch; readonly terminals: TerminalUpdateEvent[] }
  | { readonly kind: "plan"; readonly steps: Step[] }
  | {
      readonly kind: "commands";
      readonly commands: { name: string; description: string; hint?: string }[];
    }
  | { readonly kind: "mode"; readonly current: string }
  | { readonly kind: "title"; readonly title: string }
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "terminals"; readonly terminals: TerminalUpdateEvent[] };

const Text = z.string();
const Id = z.string().check(z.minLength(1), z.maxLength(MAX_ID));
const Block = z.looseObject({
  type: z.string(),
  text: validOrUndefined(Text),
  uri: validOrUndefined(Text),
  name: validOrUndefined(Text),
  mimeType: validOrUndefined(Text),
  resource: validOrUndefined(
    z.looseObject({ uri: validOrUndefined(Text), text: validOrUndefined(Text) }),
  ),
});
type Block = z.infer<typeof Block>;

const Piece = z.looseObject({
  type: z.string(),
  content: validOrUndefined(Block),
  path: validOrUndefined(Text),
  oldText: validOrUndefined(Text),
  newText: validOrUndefined(Text),
  terminalId: validOrUndefined(Id),
});

const Location = z.looseObject({ path: Text, line: validOrUndefined(z.int()) });

const Meta = z.looseObject({
  terminal_info: validOrUndefined(
    z.looseObject({ terminal_id: Id, command: validOrUndefined(Text) }),
  ),
  terminal_output: validOrUndefined(z.looseObject({ terminal_id: Id, data: Text })),
  terminal_exit: validOrUndefined(
    z.looseObject({
      terminal_id: Id,
      exit_code: validOrUndefined(z.int()),
      signal: validOrUndefined(Text),
    }),
  ),
});

const STATUSES = ["pending", "in_progress", "completed", "failed"] as const;

export const ToolCall = z.looseObject({
  toolCallId: Id,
  title: validOrUndefined(Text),
  kind: validOrUndefined(z.string().check(z.maxLength(32))),
  status: validOrUndefined(z.enum(STATUSES)),
  content: validItems(Piece),
  locations: validItems(Location),
  rawInput: z.optional(z.unknown()),
  _meta: validOrUndefined(Meta),
});
export type ToolCall = z.infer<typeof ToolCall>;

const Chunk = z.looseObject({ content: Block, messageId: validOrUndefined(Id) });
const Plan = z.looseObject({
  entries: validItems(
    z.looseObject({
      content: Text,
      priority: withDefault(z.enum(["high", "medium", "low"]), "medium"),
      status: withDefault(z.enum(["pending", "in_progress", "completed"]), "pending"),
    }),
  ),
});
const Commands = z.looseObject({
  availableCommands: validItems(
    z.looseObject({
      name: z.string().check(z.minLength(1), z.maxLength(MAX_LABEL)),
      description: withDefault(Text, ""),
      input: validOrUndefined(z.looseObject({ hint: validOrUndefined(Text) })),
    }),
  ),
});
const Exit = z.looseObject({ exitCode: validOrUndefined(z.int()), signal: validOrUndefined(Text) });
const TerminalUpdate = z.looseObject({
  terminalId: Id,
  command: validOrUndefined(Text),
  output: validOrUndefined(z.looseObject({ data: Text })),
  exitStatus: validOrUndefined(Exit),
});
const OutputChunk = z.looseObject({ terminalId: Id, data: Text });

export const ModeState = z.looseObject({
  currentModeId: Id,
  availableModes: validItems(
    z.looseObject({ id: Id, name: Text, description: validOrUndefined(Text) }),
  ),
});

/** Parsers by name on the wire: those of version 1, and version 2's two about terminals. */
const PARSERS: Readonly<Record<string, (value: unknown) => Update | undefined>> = {
  user_message_chunk: (value) => parseTextUpdate("user", value),
  agent_message_chunk: (value) => parseTextUpdate("message", value),
  agent_thought_chunk: (value) => parseTextUpdate("thought", value),
  tool_call: parseToolUpdate,
  tool_call_update: parseToolUpdate,
  plan: (value) => {
    const plan = Plan.safeParse(value);
    if (!plan.success) return undefined;
    const steps = orEmpty(plan.data.entries)
      .slice(0, MAX_STEPS)
      .map(({ content, priority, status }) => ({
        text: cut(content, MAX_TITLE),
        priority,
        status,
      }));
    return { kind: "plan", steps };
  },
  available_commands_update: (value) => {
    const parsed = Commands.safeParse(value);
    if (!parsed.success) return undefined;
    const commands = orEmpty(parsed.data.availableCommands)
      .slice(0, MAX_COMMANDS)
      .map(({ name, description, input }) => ({
        name,
        description: cut(description, MAX_LABEL),
        ...(input?.hint === undefined || input.hint === null
          ? {}
          : { hint: cut(input.hint, MAX_LABEL) }),
      }));
    return { kind: "commands", commands };
  },
  current_mode_update: (value) => {
    const mode = z.looseObject({ currentModeId: Id }).safeParse(value);
    return mode.success ? { kind: "mode", current: mode.data.currentModeId } : undefined;
  },
  session_info_update: (value) => {
    const info = z.looseObject({ title: Text }).safeParse(value);
    return info.success ? { kind: "title", title: cut(info.data.title, MAX_TITLE) } : undefined;
  },
  notice: (value) => {
    const notice = z
      .looseObject({ title: Text, description: validOrUndefined(Text) })
      .safeParse(value);
    if (!notice.success) return undefined;
    const { title, description } = notice.data;
    return { kind: "note", text: cut([title, description ?? ""].join("\n").trim(), MAX_TITLE) };
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
    const terminals: TerminalUpdateEvent[] = [{ news: "info", id, command: command ?? undefined }];
    if (isPresent(output))
      terminals.push({ news: "snapshot", id, data: decodeBase64(output.data) });
    if (isPresent(exitStatus)) {
      const { exitCode, signal } = exitStatus;
      terminals.push({ news: "exit", id, exit: formatExit(exitCode, signal) });
    }
    return { kind: "terminals", terminals };
  },
  terminal_output_chunk: (value) => {
    const parsed = OutputChunk.safeParse(value);
    if (!parsed.success) return undefined;
    const { terminalId: id, data } = parsed.data;
    return { kind: "terminals", terminals: [{ news: "output", id, data: decodeBase64(data) }] };
  },
};

/** Parses an update; undefined if it is unknown or malformed. */
export function parseUpdate(value: unknown): Update | undefined {
  const kind = z.looseObject({ sessionUpdate: z.string() }).safeParse(value);
  if (!kind.success || !Object.hasOwn(PARSERS, kind.data.sessionUpdate)) return undefined;
  return PARSERS[kind.data.sessionUpdate]?.(value);
}

export function parseModes(value: unknown): Modes | undefined {
  const parsed = ModeState.safeParse(value);
  if (!parsed.success) return undefined;
  const available = orEmpty(parsed.data.availableModes)
    .slice(0, MAX_MODES)
    .map(({ id, name, description }) => ({
      id,
      name: cut(name, MAX_LABEL),
      ...(isPresent(description) ? { description: cut(description, MAX_LABEL) } : {}),
    }));
  return { current: parsed.data.currentModeId, available };
}

/** Converts a tool call into an entry's fields; also used for permission requests. */
export function toToolPatch(call: ToolCall): ToolPatch {
  const { toolCallId: id, title, kind, status, content, locations, rawInput } = call;
  return {
    id,
    title: isPresent(title) ? cut(title, MAX_TITLE) : undefined,
    tool: kind ?? undefined,
    status: status ?? undefined,
    locations: isPresent(locations)
      ? orEmpty(locations)
          .slice(0, MAX_LOCATIONS)
          .map(({ path, line }) => ({
            path: cut(path, MAX_TITLE),
            ...(isPresent(line) ? { line } : {}),
          }))
      : undefined,
    content: isPresent(content)
      ? orEmpty(content)
          .slice(0, MAX_PIECES)
          .flatMap((piece) => toToolContent(piece) ?? [])
      : undefined,
    input: formatInput(rawInput),
  };
}

function parseToolUpdate(value: unknown): Update | undefined {
  const call = ToolCall.safeParse(value);
  if (!call.success) return undefined;
  return {
    kind: "tool",
    patch: toToolPatch(call.data),
    terminals: findTerminalUpdates(call.data._meta),
  };
}

function parseTextUpdate(of: "user" | "message" | "thought", value: unknown): Update | undefined {
  const chunk = Chunk.safeParse(value);
  if (!chunk.success) return undefined;
  const { content, messageId } = chunk.data;
  return { kind: "text", of, text: blockToText(content), message: messageId ?? undefined };
}

function findTerminalUpdates(meta: z.infer<typeof Meta> | null | undefined): TerminalUpdateEvent[] {
  const { terminal_info: info, terminal_output: output, terminal_exit: exit } = meta ?? {};
  return [
    ...(isPresent(info)
      ? [{ news: "info", id: info.terminal_id, command: info.command ?? undefined } as const]
      : []),
    ...(isPresent(output)
      ? [{ news: "output", id: output.terminal_id, data: output.data } as const]
      : []),
    ...(isPresent(exit)
      ? [
          {
            news: "exit",
            id: exit.terminal_id,
            exit: formatExit(exit.exit_code, exit.signal),
          } as const,
        ]
      : []),
  ];
}

function toToolContent(piece: z.infer<typeof Piece>): ToolContent | undefined {
  const { type, content, path, oldText, newText, terminalId } = piece;
  if (type === "content" && isPresent(content)) return { type: "text", text: blockToText(content) };
  if (type === "terminal" && isPresent(terminalId))
    return { type: "terminal", terminal: terminalId };
  if (type !== "diff" || !isPresent(path) || !isPresent(newText)) return undefined;
  return {
    type: "diff",
    path: cut(path, MAX_TITLE),
    oldText: isPresent(oldText) ? cut(oldText, MAX_TEXT) : null,
    newText: cut(newText, MAX_TEXT),
  };
}

/** Converts a block to text; other content is named by its type. */
function blockToText({ type, text, uri, name, mimeType, resource }: Block): string {
  if (type === "text") return cut(text ?? "", MAX_TEXT);
  if (type === "resource_link") return cut(`[${name ?? "link"}](${uri ?? ""})`, MAX_TITLE);
  if (type === "resource") return cut(resource?.text ?? resource?.uri ?? "", MAX_TEXT);
  return `[${cut(type, 40)}${isPresent(mimeType) ? `: ${cut(mimeType, 60)}` : ""}]`;
}

/** Returns the command if there is one, else the whole input. */
function formatInput(raw: unknown): string | undefined {
  if (raw === undefined || raw === null) return undefined;
  const command = z.looseObject({ command: z.string() }).safeParse(raw);
  if (command.success) return cut(command.data.command, MAX_TEXT);
  return cut(typeof raw === "string" ? raw : formatJson(raw, MAX_TEXT), MAX_TEXT);
}

export function formatExit(code: number | null | undefined, signal: string | null | undefined) {
  if (isPresent(code)) return `exit ${code}`;
  return isPresent(signal) && signal !== "" ? cut(signal, 40) : "ended";
}

/** Control characters except tab and line breaks, and unpaired surrogates. */
const UNPRINTABLE = /(?![\t\n\r])[\p{Cc}\p{Cs}]/gu;

/** Cuts a text. Replaces control characters, which JSON would escape with six bytes each. */
export function cut(text: string, most: number): string {
  const isLong = text.length > most;
  const short = (isLong ? text.slice(0, most) : text).replaceAll(UNPRINTABLE, "\uFFFD");
  return isLong ? `${short}…` : short;
}

function decodeBase64(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

function orEmpty<T>(values: readonly T[] | undefined): readonly T[] {
  return values ?? [];
}
