// Owns the two panel tools in MCP: names, descriptions, hints. The agents' service decides what an
// agent may do with a screen.

import * as z from "zod";
import { MOST_SNAPSHOT_TIMEOUT_MS, SNAPSHOT_TIMEOUT_MS } from "../../../../protocol/panel.ts";
import { MAX_INPUT_CHARS } from "../../../../protocol/limits.ts";
import type { AgentPanels, AgentScreen } from "../../../agents/panels.ts";
import { only } from "../schemas.ts";
import type { Answer, ToolRow } from "./row.ts";
import { refused, tool } from "./row.ts";

const MOST_QUIET_MS = 10_000;

const target = {
  terminalId: z.string().max(64).optional().describe("A terminal's or session's ID"),
  panelId: z.string().max(128).optional().describe("A panel's; default: the active one"),
  sessionId: z.string().max(128).optional().describe("The panel's session"),
};

const named = {
  terminalId: z.string(),
  panelId: z.string().optional(),
  sessionId: z.string().optional(),
};

const writeInput = only({
  text: z
    .string()
    .max(MAX_INPUT_CHARS)
    .describe("May hold named keys: <Enter>, <C-c>, <Up>, <Esc>"),
  ...target,
});
const writeOutput = z.object({ ok: z.boolean(), ...named, bytesWritten: z.number() });

const screenInput = only({
  ...target,
  format: z.enum(["text", "png"]).optional(),
  waitMs: z
    .int()
    .min(1)
    .max(MOST_QUIET_MS)
    .optional()
    .describe("First wait until there is no output for this long"),
  source: z.literal("client").optional().describe("Ask the open panel instead of the bridge"),
  timeoutMs: z.int().min(1).max(MOST_SNAPSHOT_TIMEOUT_MS).optional().describe("With source"),
});
const screenOutput = z.object({
  ...named,
  snapshot: z.looseObject({ lines: z.array(z.string()) }),
});

export function panelTools(served: Pick<AgentPanels, "write" | "screen">): ToolRow[] {
  return [
    tool({
      name: "terminal_write",
      set: "panels",
      scope: "type",
      title: "Type into a terminal",
      description:
        "Write text to the terminal PTY: one that you started, or one where a person lets agents type. Lines typed into a shell are checked like commands. Read the screen to see the effect.",
      input: writeInput,
      output: writeOutput,
      hints: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      },
      mayTakeLong: () => true,
      handle: async (call, { text, ...where }) => {
        const outcome = await served.write(call, where, text, call.signal);
        if (!outcome.ok) return refused(outcome.error);
        const { value } = outcome;
        const content = [{ type: "text" as const, text: JSON.stringify(value) }];
        return { result: { content, structuredContent: { ...value } }, outcome: "ok" };
      },
    }),
    tool({
      name: "terminal_read_screen",
      set: "panels",
      scope: "read",
      title: "Read a screen",
      description:
        "Read the visible terminal screen: what a full-screen program shows now, with the cursor. format png gives a picture with its colours.",
      input: screenInput,
      output: screenOutput,
      hints: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      mayTakeLong: ({ waitMs, source }) => waitMs !== undefined || source !== undefined,
      handle: async ({ caller, signal }, args) => {
        const { format, source, timeoutMs = SNAPSHOT_TIMEOUT_MS, ...wish } = args;
        const client = source === "client" ? { timeoutMs } : undefined;
        const isPicture = format === "png";
        const outcome = await served.screen(caller, { ...wish, client, isPicture }, signal);
        return outcome.ok ? screenAnswer(outcome.value) : refused(outcome.error);
      },
    }),
  ];
}

function screenAnswer({ png, snapshot: whole, ...names }: AgentScreen): Answer {
  const { wrapped: _notAsked, ...snapshot } = whole;
  const { cols, rows, cursor, bufferType } = snapshot;
  const place = `${cols}×${rows}, cursor at column ${cursor.x}, row ${cursor.y}, ${bufferType} screen`;
  // Empty rows at the bottom are left out; `rows` counts them.
  const lines = snapshot.lines.slice(0, snapshot.lines.findLastIndex((line) => line !== "") + 1);
  const text = { type: "text" as const, text: lines.join("\n") };
  const note = { type: "text" as const, text: place };
  const image =
    png === undefined
      ? []
      : [{ type: "image" as const, data: png.toString("base64"), mimeType: "image/png" }];
  const content = png === undefined ? [text, note] : [...image, note];
  const structuredContent = { ...names, snapshot: { ...snapshot, lines } };
  return { result: { content, structuredContent }, outcome: "ok" };
}
