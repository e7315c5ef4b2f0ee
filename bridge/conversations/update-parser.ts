// Owns parsing an agent's `session/update`: known kinds with their required fields, each text
// bounded. Unknown or malformed updates are ignored. Tool calls are in tool-call.ts. Pure.

import * as z from "zod/mini";
import { validOrUndefined, withDefault, validItems } from "../lenient-schemas.ts";
import { cut, formatExit, isPresent, MAX_TITLE } from "./bounded-text.ts";
import type { TerminalUpdateEvent, ToolPatch } from "./tool-call.ts";
import { Block, blockToText, findTerminalUpdates, Id, ToolCall, toToolPatch } from "./tool-call.ts";

const MAX_STEPS = 50;
/** Commands and modes are sent with every change of a conversation, in one frame with the rest. */
const MAX_COMMANDS = 64;
const MAX_MODES = 20;
const MAX_LABEL = 120;

export type Step = {
  text: string;
  priority: "high" | "medium" | "low";
  status: "pending" | "in_progress" | "completed";
};

export interface Modes {
  readonly current: string;
  readonly available: readonly { id: string; name: string; description?: string }[];
}

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
    const steps = (plan.data.entries ?? [])
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
    const commands = (parsed.data.availableCommands ?? [])
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
  const available = (parsed.data.availableModes ?? [])
    .slice(0, MAX_MODES)
    .map(({ id, name, description }) => ({
      id,
      name: cut(name, MAX_LABEL),
      ...(isPresent(description) ? { description: cut(description, MAX_LABEL) } : {}),
    }));
  return { current: parsed.data.currentModeId, available };
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

function decodeBase64(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}
