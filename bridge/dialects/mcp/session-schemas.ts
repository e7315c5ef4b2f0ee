// Owns the inputs and outputs of the session tools, with their limits and descriptions for models.

import * as z from "zod";
import { ISOLATIONS } from "../../../protocol/isolation.ts";
import { WAIT_ENDS } from "../../reading/wait-until.ts";
import { strictInput } from "./terminal-schemas.ts";

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
    .describe("Then it is killed with all it started. Over 50: after 50 s you get a session's id"),
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
