// Owns a command that runs for a program, and its result; also a command of a custom provider,
// which reports nothing before its end.

import { constants } from "node:os";
import type { Exit } from "../../protocol/terminal.ts";
import { MiB } from "../../protocol/limits.ts";
import { KeptOutput } from "../commands/kept-output.ts";
import type { EndedBy, RunLife } from "../commands/command-run.ts";
import { Emitter } from "../emitter.ts";
import type { RunLike } from "../sessions/session-target.ts";
import type { ExecuteCommandResult } from "./types.ts";

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
