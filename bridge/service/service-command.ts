// Owns interpreting a command with arguments: separate words for a program, or a line for a shell.
// Also owns splitting a compound command into words: separators are dropped, quotes are kept. Does
// not judge; the policy does. And a command that runs for a program, and its result; also a command
// of a custom provider, which reports nothing before its end.

import { constants } from "node:os";
import { singleQuote } from "../../protocol/formats.ts";
import { MiB } from "../../protocol/limits.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { EndedBy, RunLife } from "../commands/command-run.ts";
import { KeptOutput } from "../commands/kept-output.ts";
import { Emitter } from "../emitter.ts";
import type { RunLike } from "../sessions/session-target.ts";
import type { SpawnRequest } from "../terminals/spawn-plan.ts";
import type { ExecuteCommandResult } from "./types.ts";

export type CommandText =
  | { readonly kind: "words"; readonly words: readonly [string, ...string[]] }
  | { readonly kind: "line"; readonly line: string };

/** No blank, quote, variable, glob or operator: every shell reads it as one name. */
const PLAIN_WORD = /^[\p{L}\p{N}_@%+:,./-]+$/u;

/** Interprets a command. Without arguments, one plain word is a program, else it is a line. */
export function parseCommandText(command: string, args: readonly string[]): CommandText {
  if (args.length > 0 || PLAIN_WORD.test(command))
    return { kind: "words", words: [command, ...args] };
  return { kind: "line", line: command };
}

/** Returns the command as fields of a spawn request. */
export function toSpawnFields(text: CommandText): Pick<SpawnRequest, "command" | "line"> {
  return text.kind === "words" ? { command: text.words } : { line: text.line };
}

export function isEmpty(text: CommandText): boolean {
  return (text.kind === "line" ? text.line : text.words[0]).trim() === "";
}

/** Formats the command as one shell line, also for people. */
export function formatLine(text: CommandText): string {
  return text.kind === "line" ? text.line : text.words.map(quoteWord).join(" ");
}

function quoteWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : singleQuote(word);
}

const BLANK = /\s/;
const SEPARATORS = ["&&", "||", ";;", ";", "|&", "|", "&", "\n"];

/**
 * Splits a command: `git add . && echo "a b"` gives `git`, `add`, `.`, `echo`, `"a b"`. Quotes,
 * escapes and substitutions stay inside their word.
 */
export function parseCompoundCommand(command: string): string[] {
  const words: string[] = [];
  let word = "";
  const done = () => {
    if (word !== "") words.push(word);
    word = "";
  };
  for (let at = 0; at < command.length;) {
    const separator = separatorAt(command, at, word);
    if (separator > 0 || BLANK.test(command[at] ?? "")) {
      done();
      at += Math.max(separator, 1);
      continue;
    }
    const end = pieceEnd(command, at);
    word += command.slice(at, end);
    at = end;
  }
  done();
  return words;
}

/** Returns the length of the separator here, 0 for none. `2>&1` and `&>` contain none. */
function separatorAt(command: string, at: number, word: string): number {
  if (command[at] === "&" && (command[at + 1] === ">" || word.endsWith(">"))) return 0;
  return SEPARATORS.find((separator) => command.startsWith(separator, at))?.length ?? 0;
}

/** Returns the end of the piece that starts here: one character, or a whole quoted part. */
function pieceEnd(command: string, at: number): number {
  const first = command[at] ?? "";
  if (first === "\\") return at + 2;
  if (first === "'") return findAfter(command, "'", at + 1);
  if (first === '"') return quotedEnd(command, at + 1, '"');
  if (first === "`") return quotedEnd(command, at + 1, "`");
  if (first === "$" && command[at + 1] === "(") return nestedEnd(command, at + 2);
  return at + 1;
}

function findAfter(command: string, mark: string, from: number): number {
  const found = command.indexOf(mark, from);
  return found < 0 ? command.length : found + 1;
}

function quotedEnd(command: string, from: number, mark: string): number {
  let at = from;
  while (at < command.length && command[at] !== mark) {
    const isNested = command[at] === "$" && command[at + 1] === "(";
    if (command[at] === "\\") at += 2;
    else at = isNested ? nestedEnd(command, at + 2) : at + 1;
  }
  return Math.min(at + 1, command.length);
}

/** Returns the position after the `)` that closes a substitution. */
function nestedEnd(command: string, from: number): number {
  let depth = 1;
  let at = from;
  while (at < command.length && depth > 0) {
    const first = command[at] ?? "";
    if (first === "(") depth += 1;
    if (first === ")") depth -= 1;
    at = first === "'" || first === "\\" ? pieceEnd(command, at) : at + 1;
  }
  return at;
}

/** Bytes kept of each stream. Programs want all of it, and the last 20 runs are kept. */
export const KEPT_OUTPUT_LIMITS = { head: 1 * MiB, tail: 1 * MiB };

export interface RunningCommand {
  readonly run: RunLike;
  result(): Promise<ExecuteCommandResult>;
}

/** Returns the result of a command that did not run. */
export function failedResult(error: string): ExecuteCommandResult {
  return { ok: false, output: "", exitCode: -1, stdout: "", stderr: "", error };
}

/** Resolves with the result when the command, and its process tree if it was killed, has ended. */
export async function waitForResult(run: RunLike, seconds: number): Promise<ExecuteCommandResult> {
  await run.finished;
  const { life } = run;
  const by = life.state === "ended" ? life.by : undefined;
  if (by !== undefined) await run.end(by);
  const exit = life.state === "ended" ? life.exit : { exitCode: null, signal: null };
  const exitCode = toExitCode(exit);
  const result = {
    ok: exitCode === 0 && by === undefined,
    output: formatKept(run.output),
    exitCode,
    stdout: formatKept(run.stdout),
    stderr: formatKept(run.stderr),
  };
  const error = formatEndReason(exit, by, seconds);
  return error === undefined ? result : { ...result, error };
}

/** Wraps a provider's call as a run; all of its output arrives at the end. */
export function toRun(result: Promise<ExecuteCommandResult>): RunLike {
  const news = new Emitter<Parameters<Parameters<RunLike["onOutput"]>[0]>>();
  const [stdout, stderr, output] = [
    new KeptOutput(KEPT_OUTPUT_LIMITS),
    new KeptOutput(KEPT_OUTPUT_LIMITS),
    new KeptOutput(KEPT_OUTPUT_LIMITS),
  ];
  let life: RunLife = { state: "running" };
  const took = async () => {
    const commandResult = await result;
    stdout.append(Buffer.from(commandResult.stdout));
    stderr.append(Buffer.from(commandResult.stderr));
    output.append(
      Buffer.from(
        commandResult.error === undefined ? commandResult.output : withError(commandResult),
      ),
    );
    const exitCode = commandResult.exitCode < 0 ? null : commandResult.exitCode;
    life = { state: "ended", exit: { exitCode, signal: null }, at: Date.now(), by: undefined };
    news.fire(undefined, Buffer.alloc(0));
  };
  const finished = took();
  return {
    startedAt: Date.now(),
    stdout,
    stderr,
    output,
    finished,
    get life() {
      return life;
    },
    countLeftovers: () => Promise.resolve(0),
    takesInput: false,
    onOutput: (listener) => news.add(listener),
    // The provider has the timeout, and cannot be reached otherwise.
    write: () => {},
    closeInput: () => {},
    signal: () => {},
    endAfter: () => {},
    end: () => finished,
  };
}

function withError({ output, error }: ExecuteCommandResult): string {
  return output === "" ? `${error}\n` : `${output}\n${error}\n`;
}

function formatEndReason({ signal }: Exit, by: EndedBy | undefined, seconds: number) {
  if (by === "timeout") {
    return `Timed out after ${seconds} s: the command and everything it started was killed`;
  }
  if (by === "stopped") return "The command was stopped with the service";
  return signal === null ? undefined : `Ended by ${signal}`;
}

/** Returns the exit code as shells report it; -1 if unknown. */
function toExitCode({ exitCode, signal }: Exit): number {
  if (exitCode !== null) return exitCode;
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
  return number === undefined ? -1 : 128 + number;
}

/** Returns the output, with a note where bytes were dropped. */
function formatKept(kept: KeptOutput): string {
  const pieces = kept.read().map(({ bytes }) => bytes.toString("utf8"));
  return pieces.join(`\n[cut: ${kept.lost} bytes]\n`);
}
