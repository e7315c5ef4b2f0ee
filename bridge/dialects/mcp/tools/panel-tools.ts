// Owns the panel tools in MCP: names, descriptions, hints. The agents' service decides what an
// agent may do with a screen.

import * as z from "zod";
import { MAX_SNAPSHOT_TIMEOUT_MS, SNAPSHOT_TIMEOUT_MS } from "../../../../protocol/panel.ts";
import { MAX_INPUT_CHARS } from "../../../../protocol/limits.ts";
import type { AgentPanels, AgentScreen } from "../../../agents/agent-panels.ts";
import { strictInput } from "../terminal-schemas.ts";
import type { AuditedAnswer, ToolRow } from "./tool-row.ts";
import { toRefusedAnswer, tool } from "./tool-row.ts";

const MAX_QUIET_MS = 10_000;

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

const writeInput = strictInput({
  text: z
    .string()
    .max(MAX_INPUT_CHARS)
    .describe("May hold named keys: <Enter>, <C-c>, <Up>, <Esc>"),
  ...target,
});
const writeOutput = z.object({ ok: z.boolean(), ...named, bytesWritten: z.number() });

const screenInput = strictInput({
  ...target,
  format: z.enum(["text", "png"]).optional(),
  waitMs: z
    .int()
    .min(1)
    .max(MAX_QUIET_MS)
    .optional()
    .describe("First wait until there is no output for this long"),
  source: z.literal("client").optional().describe("Ask the open panel instead of the bridge"),
  timeoutMs: z.int().min(1).max(MAX_SNAPSHOT_TIMEOUT_MS).optional().describe("With source"),
});
const screenOutput = z.object({
  ...named,
  snapshot: z.looseObject({ lines: z.array(z.string()) }),
});

export function panelTools(service: Pick<AgentPanels, "write" | "readScreen">): ToolRow[] {
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
        const outcome = await service.write(call, where, text, call.signal);
        if (!outcome.ok) return toRefusedAnswer(outcome.error, undefined, outcome);
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
        const { format, source, timeoutMs = SNAPSHOT_TIMEOUT_MS, ...screenOptions } = args;
        const client = source === "client" ? { timeoutMs } : undefined;
        const isPicture = format === "png";
        const outcome = await service.readScreen(
          caller,
          { ...screenOptions, client, isPicture },
          signal,
        );
        return outcome.ok ? toScreenAnswer(outcome.value) : toRefusedAnswer(outcome.error);
      },
    }),
  ];
}

function toScreenAnswer({ png, snapshot: whole, ...names }: AgentScreen): AuditedAnswer {
  const { wrapped: _wrapped, ...snapshot } = whole;
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
