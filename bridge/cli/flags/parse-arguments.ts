// Owns the arguments and options that several commands share: parses them, and throws a message
// about what is valid. Among them are the flags that limit an agent's token, and `--code`, the
// running bridge's code.

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import * as z from "zod/mini";
import { compact } from "../../../protocol/compact.ts";
import { ApprovalId, MAX_REASON_CHARS } from "../../../protocol/approval.ts";
import { MAX_PROMPT_CHARS } from "../../../protocol/conversation.ts";
import type { AgentTerms } from "../../../protocol/grant.ts";
import { GrantId, Label, DEFAULT_SCOPES, Scope, ToolSet } from "../../../protocol/grant.ts";
import type { Isolation } from "../../../protocol/isolation.ts";
import { ISOLATIONS } from "../../../protocol/isolation.ts";
import { Columns, Rows } from "../../../protocol/terminal.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { PROCESS_TAG_ENV } from "../../sweep.ts";
import { canAsk, getWindowEnvironment } from "../output/output.ts";

export const ID_KINDS = ["grants", "terminals", "approvals", "rules"] as const;
export type IdKind = (typeof ID_KINDS)[number];

export const SHELLS = ["bash", "zsh", "fish"] as const;

export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("A port is a number from 1 to 65535, or 0 for any free one.");
}

export function parseLineCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("A number of lines is 0 or more.");
}

/** Parses a speed or a number of seconds. */
export function parseFactor(text: string): number {
  const number = Number(text);
  if (/^\d{1,6}(\.\d{1,6})?$/.test(text) && number > 0 && number <= 10_000) return number;
  throw new InvalidArgumentError("Write a number above 0, such as 2 or 0.5.");
}

export function parseLabel(text: string): string {
  if (Label.safeParse(text).success) return text;
  const [odd] = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.exec(text) ?? [];
  if (odd === undefined) throw new InvalidArgumentError("At most 80 characters.");
  const number = (odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  throw new InvalidArgumentError(
    `It has the character U+${number}, which breaks, hides or reverses text on other people's screens. Leave it out.`,
  );
}

export function parseGrantId(text: string): string {
  if (GrantId.safeParse(text).success) return text;
  throw new InvalidArgumentError("An id has 10 letters and digits: see `pairpty grants`.");
}

export function parseApprovalId(text: string): string {
  if (ApprovalId.safeParse(text).success) return text;
  throw new InvalidArgumentError("An id has a few letters and digits: see `pairpty approvals`.");
}

export function parseReason(text: string): string {
  if (text.length <= MAX_REASON_CHARS) return text;
  throw new InvalidArgumentError(`At most ${MAX_REASON_CHARS} characters.`);
}

export function parsePrompt(text: string): string {
  if (text.trim() !== "" && text.length <= MAX_PROMPT_CHARS) return text;
  throw new InvalidArgumentError(`A prompt has some text, at most ${MAX_PROMPT_CHARS} characters.`);
}

/** Parses `120x40`, also with the × that we print. */
export function parseTerminalSize(text: string): { cols: number; rows: number } {
  const [, cols, rows] = /^(\d{1,4})[x×](\d{1,4})$/i.exec(text) ?? [];
  const size = { cols: Number(cols), rows: Number(rows) };
  if (Columns.safeParse(size.cols).success && Rows.safeParse(size.rows).success) return size;
  throw new InvalidArgumentError("A size is columns and rows, each from 1 to 1000: 120x40.");
}

/** Undefined for flags that were not given, which differs from a default. */
export interface AgentFlags {
  readonly scopes?: Scope[];
  readonly tools?: ToolSet[];
  readonly isolation?: Isolation;
  readonly trustClient?: boolean;
}

export function withAgentFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--scopes <list>",
        `what an agent may do: ${Scope.options.join(",")} (default: ${DEFAULT_SCOPES.join(",")})`,
      ).argParser((text) => parseList(Scope, text, "Scopes")),
    )
    .addOption(
      new Option(
        "--tools <list>",
        `which tools an agent sees: ${ToolSet.options.join(",")} (default: all)`,
      ).argParser((text) => parseList(ToolSet, text, "Tool sets")),
    )
    .addOption(
      new Option(
        "--isolation <level>",
        "minimum isolation of the agent's commands (default: none)",
      ).choices(ISOLATIONS),
    )
    .option("--trust-client", "let the agent's own program answer approvals for you");
}

/** Returns the names of the flags that were given. */
export function listGivenFlags(flags: AgentFlags): string[] {
  const given: [string, unknown][] = [
    ["--scopes", flags.scopes],
    ["--tools", flags.tools],
    ["--isolation", flags.isolation],
    ["--trust-client", flags.trustClient],
  ];
  return given.filter(([, value]) => value !== undefined).map(([name]) => name);
}

export function toAgentTerms({ tools, isolation, trustClient }: AgentFlags): AgentTerms {
  return {
    ...compact({ tools, isolation, trustClient }),
  };
}

function parseList<T extends string>(
  schema: z.ZodMiniType<T, string> & { readonly options: readonly T[] },
  text: string,
  what: string,
): T[] {
  const parsed = z.array(schema).check(z.minLength(1)).safeParse(text.split(","));
  if (parsed.success) return [...new Set(parsed.data)];
  throw new InvalidArgumentError(`${what} are ${schema.options.join(", ")}, separated by commas.`);
}

export interface CodeFlag {
  /** True if given without a number. */
  readonly code?: string | true;
}

/** Creates the option; `when` describes when the command needs it. */
export function createCodeOption(when = "needed once an agent has run commands"): Option {
  return new Option(
    "--code [number]",
    `the code (press k in pairpty's window), ${when}; without a number, pairpty asks for it`,
  );
}

export async function readCode({ code }: CodeFlag): Promise<{ code?: string }> {
  if (code === undefined) return {};
  if (process.env[PROCESS_TAG_ENV] !== undefined) {
    throw new UserError(
      "--code does not work inside a pairpty terminal: others can see what you type here",
      ExitCode.usage,
      "Use a terminal that is not shared.",
    );
  }
  if (code !== true) return { code };
  if (!canAsk(getWindowEnvironment())) {
    throw new UserError(
      "--code needs a number here: there is no terminal to ask in",
      ExitCode.usage,
      "Write it after the flag: --code 12345678.",
    );
  }
  return { code: await readHidden("Code: ") };
}

/** Reads the code without echo, so that it is neither on the screen nor in the list of processes. */
async function readHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // Only now: before raw mode, a quick typist's input would be echoed.
  process.stderr.write(question);
  const ended = new Promise<string>((resolve) => {
    lines.once("SIGINT", () => resolve(""));
    lines.once("close", () => resolve(""));
  });
  const reply = await Promise.race([lines.question(""), ended]);
  lines.close();
  process.stderr.write("\n");
  return reply.trim();
}
