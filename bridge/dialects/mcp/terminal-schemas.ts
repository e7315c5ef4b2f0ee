// Owns the inputs and outputs of the terminal tools (list, read, spawn, promote, kill) and of the
// session tools, with their limits and descriptions for models. Those of panels are in
// tools/panel-tools.ts.

import * as z from "zod";
import { ISOLATIONS } from "../../../protocol/isolation.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import { DEFAULT_READ_BYTES, MAX_READ_BYTES } from "../../reading/terminal-text.ts";
import { DEFAULT_WAIT_MS, MAX_WAIT_MS, WAIT_ENDS } from "../../reading/wait-until.ts";

const terminalId = (what: string) => z.string().max(64).describe(what);

/** Returns a strict schema that rejects unknown fields and lists the known ones. */
export function strictInput<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `Unknown: ${issue.keys.join(", ").slice(0, 200)}. Known are: ${known}`
        : undefined,
  });
}

/** Shared by the tools that start something. */
const isolation = z
  .enum(ISOLATIONS)
  .optional()
  .describe(
    "At least what your token and the user's settings require. A sandbox has no network unless the user allows it",
  );

const exit = z.object({ exitCode: z.number().nullable(), signal: z.string().nullable() });

/** All fields of a terminal: clients reject a result with an undeclared one. */
export const terminal = z.object({
  id: z.string(),
  cwd: z.string(),
  owner: z.enum(["user", "agent"]),
  visible: z.boolean(),
  createdAt: z.number(),
  command: z.array(z.string()).optional(),
  startedBy: z.string().optional(),
  number: z.number().optional(),
  name: z.string().optional().describe("Set by a person"),
  title: z.string().optional().describe("Set by its program"),
  isolation: z.enum(ISOLATIONS).optional(),
  private: z.boolean().optional(),
  agentsType: z
    .array(z.object({ grant: z.string(), label: z.string() }))
    .optional()
    .describe("These agents may type"),
  steppedIn: z
    .object({ label: z.string(), peer: z.number() })
    .optional()
    .describe("A person is typing; you cannot"),
  feed: z.boolean().optional(),
  pinned: z.boolean().optional(),
  recording: z.object({ by: z.string(), since: z.number() }).optional(),
  conversation: z.string().optional(),
  epoch: z.number().optional(),
  cols: z.number().optional(),
  rows: z.number().optional(),
} satisfies Record<keyof Terminal, z.ZodType>);

/** Accepts any fields: some clients send a placeholder if a tool has no arguments. */
export const listInput = z.object({});
export const listOutput = z.object({
  terminals: z.array(
    terminal.extend({ program: z.string().optional().describe("In the foreground") }),
  ),
  omitted: z.number().describe("Older terminals that did not fit"),
});

export const readInput = strictInput({
  terminalId: terminalId("The ID of the terminal to read"),
  offset: z.int().nonnegative().optional().describe("Read from this byte on (an earlier `next`)"),
  maxBytes: z
    .int()
    .min(1)
    .max(MAX_READ_BYTES)
    .optional()
    .describe(`Default ${DEFAULT_READ_BYTES}; without options 64 KB, the history`),
  lines: z.int().min(1).max(10_000).optional().describe("Only the last N lines"),
  match: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("Only lines with this text, or /RE2/, with two lines around each"),
  raw: z.boolean().optional().describe("Keep escape sequences"),
  waitFor: strictInput({
    exit: z.boolean().optional().describe("The process ends"),
    idleMs: z.int().min(10).max(MAX_WAIT_MS).optional().describe("No output for this long"),
    pattern: z.string().max(1000).optional().describe("This text, or /RE2/, appears"),
    regex: z.boolean().optional().describe("The pattern is RE2; false: text, slashes too"),
  })
    .optional()
    .describe("Wait for the first of these instead of polling; an exit always ends the wait"),
  timeoutMs: z.int().min(1).max(MAX_WAIT_MS).optional().describe(`Default ${DEFAULT_WAIT_MS}`),
});
export const readOutput = z.object({
  terminalId: z.string(),
  history: z.string(),
  offset: z.number(),
  next: z.number(),
  firstRetained: z.number(),
  truncated: z.boolean(),
  exit: exit.nullable(),
  waited: z.enum(WAIT_ENDS).optional(),
  matches: z
    .object({
      matches: z.number(),
      shown: z.number(),
      searchedFrom: z.number().optional().describe("Earlier output is not kept"),
    })
    .optional(),
  closed: z.string().optional().describe("Why it was closed"),
  failures: z.string().optional().describe("Failures in what was cut"),
});

export const spawnInput = strictInput({
  cwd: z.string().min(1).max(4096).describe("Working directory for the terminal"),
  command: z
    .array(z.string().max(32_768))
    .min(1)
    .max(1000)
    .describe('Command and arguments to run (e.g., ["npm", "run", "dev"])'),
  isolation,
  requestKey: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Same key within 10 minutes: same terminal. Makes a retry safe"),
});
/** All optional: a refusal has only the last four, and clients validate those too. */
export const spawnOutput = terminal.partial().extend({
  error: z.string().optional(),
  hint: z.string().optional(),
  moreReasons: z.array(z.string()).optional(),
  retryAfterMs: z.number().optional(),
});

export const promoteInput = strictInput({
  terminalId: terminalId("The ID of the terminal to promote"),
});

export const killInput = strictInput({ terminalId: terminalId("The ID of the terminal to kill") });
export const killOutput = z.object({ terminated: z.literal(true), id: z.string() });

/** A day: longer commands are not waited for. */
const MAX_SECONDS = 86_400;
const MAX_STDIN_CHARS = 65_536;

const command = z.string().min(1).max(65_536).describe("The shell command to execute");
const placeFields = {
  workingDirectory: z.string().min(1).max(4096).optional().describe("Default: the workspace"),
  cwd: z.string().min(1).max(4096).optional().describe("Same as workingDirectory"),
  env: z.record(z.string().max(256), z.string().max(32_768)).optional().describe("Added variables"),
  isolation: z.enum(ISOLATIONS).optional().describe("At least what the token requires"),
};
const sessionId = z.string().min(1).max(64).describe("The terminal session ID, like term-1");
const until = z
  .string()
  .min(1)
  .max(1000)
  .optional()
  .describe("Answer as soon as this text, or /RE2/, is printed");
const keys = z
  .string()
  .max(MAX_STDIN_CHARS)
  .optional()
  .describe(
    "Input. \\n ends a line; keys have names: <Enter> <C-c> <C-d> <Up> <Tab> <Esc>; <<Up> types <Up>",
  );

/** Facts that no other field has. */
const notes = z.array(z.string()).optional();
/** Shared by the answers of terminal_start and terminal_continue. */
const sessionState = {
  complete: z.boolean().describe("The process has ended"),
  waited: z.enum(WAIT_ENDS).optional(),
  exitCode: z.number().nullable().optional(),
  signal: z.string().nullable().optional(),
  notes,
};

export const bashInput = strictInput({
  command,
  timeoutSeconds: z
    .number()
    .positive()
    .max(MAX_SECONDS)
    .optional()
    .describe("Then it is killed, with all it started. Over 50: you get a session's id after 50 s"),
  stdin: z.string().max(MAX_STDIN_CHARS).optional().describe("Standard input; none if absent"),
  ...placeFields,
});
export const bashOutput = z.object({
  ok: z.boolean(),
  exitCode: z.number().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  signal: z.string().optional(),
  error: z.string().optional(),
  id: z.string().optional().describe("For terminal_continue"),
  position: z.number().optional(),
  notes,
});

export const startInput = strictInput({ command, stdin: keys, until, ...placeFields });
export const startOutput = z.object({
  id: z.string(),
  output: z.string(),
  position: z.number(),
  ...sessionState,
});

export const continueInput = strictInput({
  sessionId,
  stdin: keys,
  until,
  position: z.int().nonnegative().optional().describe("Read again from here"),
});
export const continueOutput = z.object({
  output: z.string(),
  position: z.number(),
  ...sessionState,
});

export const stopInput = strictInput({ sessionId });
export const stopOutput = z.object({ id: z.string(), terminated: z.literal(true) });

/** Accepts any fields, as list_terminals does. */
export const sessionListInput = z.object({});
export const sessionListOutput = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      command: z.string(),
      position: z.number(),
      running: z.boolean(),
      uptimeSeconds: z.number(),
    }),
  ),
});
