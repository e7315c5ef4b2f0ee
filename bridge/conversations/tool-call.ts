// Owns an agent's tool calls: their schema, and what an entry and the room's terminals take from one.
// Updates of other kinds are in update-parser.ts. Pure.

import * as z from "zod/mini";
import type { ToolContent, ToolStatus } from "../../protocol/conversation.ts";
import { validItems, validOrUndefined } from "../lenient-schemas.ts";
import { cut, formatExit, isPresent, MAX_TEXT, MAX_TITLE } from "./bounded-text.ts";
import { formatJson } from "./content-format.ts";

const MAX_PIECES = 12;
const MAX_LOCATIONS = 32;
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

/** An update about a terminal that the agent runs itself, in any of the protocol's forms. */
export type TerminalUpdateEvent =
  | { readonly news: "info"; readonly id: string; readonly command?: string | undefined }
  | { readonly news: "output"; readonly id: string; readonly data: string | Buffer }
  /** The terminal's complete output so far. */
  | { readonly news: "snapshot"; readonly id: string; readonly data: Buffer }
  | { readonly news: "exit"; readonly id: string; readonly exit: string };

const Text = z.string();
export const Id = z.string().check(z.minLength(1), z.maxLength(MAX_ID));
export const Block = z.looseObject({
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

/** Converts a tool call into an entry's fields; also used for permission requests. */
export function toToolPatch(call: ToolCall): ToolPatch {
  const { toolCallId: id, title, kind, status, content, locations, rawInput } = call;
  return {
    id,
    title: isPresent(title) ? cut(title, MAX_TITLE) : undefined,
    tool: kind ?? undefined,
    status: status ?? undefined,
    locations: isPresent(locations)
      ? locations.slice(0, MAX_LOCATIONS).map(({ path, line }) => ({
          path: cut(path, MAX_TITLE),
          ...(isPresent(line) ? { line } : {}),
        }))
      : undefined,
    content: isPresent(content)
      ? content.slice(0, MAX_PIECES).flatMap((piece) => toToolContent(piece) ?? [])
      : undefined,
    input: formatInput(rawInput),
  };
}

/** Returns what a tool call's metadata reports about terminals that the agent runs itself. */
export function findTerminalUpdates(
  meta: z.infer<typeof Meta> | null | undefined,
): TerminalUpdateEvent[] {
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
export function blockToText({ type, text, uri, name, mimeType, resource }: Block): string {
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
