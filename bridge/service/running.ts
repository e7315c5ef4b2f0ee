// Owns a command that runs for a program, and its result; also a command of a custom provider,
// which reports nothing before its end.

import { constants } from "node:os";
import type { Exit } from "../../protocol/terminal.ts";
import { MiB } from "../../protocol/limits.ts";
import { KeptOutput } from "../commands/kept.ts";
import type { EndedBy, RunLife } from "../commands/run.ts";
import { Listeners } from "../listeners.ts";
import type { RunLike } from "../sessions/live.ts";
import type { ExecuteCommandResult } from "./types.ts";

/** Bytes kept of each stream. Programs want all of it, and the last 20 runs are kept. */
export const KEPT = { head: 1 * MiB, tail: 1 * MiB };

export interface Running {
  readonly run: RunLike;
  result(): Promise<ExecuteCommandResult>;
}

/** Returns the result of a command that did not run. */
export function failed(error: string): ExecuteCommandResult {
  return { ok: false, output: "", exitCode: -1, stdout: "", stderr: "", error };
}

/** Resolves with the result when the command, and its process tree if it was killed, has ended. */
export async function resultOf(run: RunLike, seconds: number): Promise<ExecuteCommandResult> {
  await run.finished;
  const { life } = run;
  const by = life.state === "ended" ? life.by : undefined;
  if (by !== undefined) await run.end(by);
  const exit = life.state === "ended" ? life.exit : { exitCode: null, signal: null };
  const exitCode = codeOf(exit);
  const told = {
    ok: exitCode === 0 && by === undefined,
    output: textOf(run.output),
    exitCode,
    stdout: textOf(run.stdout),
    stderr: textOf(run.stderr),
  };
  const error = whyEnded(exit, by, seconds);
  return error === undefined ? told : { ...told, error };
}

/** Wraps a provider's call as a run; all of its output arrives at the end. */
export function overResult(result: Promise<ExecuteCommandResult>): RunLike {
  const news = new Listeners<Parameters<Parameters<RunLike["onNews"]>[0]>>();
  const [stdout, stderr, output] = [
    new KeptOutput(KEPT),
    new KeptOutput(KEPT),
    new KeptOutput(KEPT),
  ];
  let life: RunLife = { state: "running" };
  const took = async () => {
    const said = await result;
    stdout.append(Buffer.from(said.stdout));
    stderr.append(Buffer.from(said.stderr));
    output.append(Buffer.from(said.error === undefined ? said.output : withError(said)));
    const exitCode = said.exitCode < 0 ? null : said.exitCode;
    life = { state: "ended", exit: { exitCode, signal: null }, at: Date.now(), by: undefined };
    news.tell(undefined, Buffer.alloc(0));
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
    leftovers: () => Promise.resolve(0),
    takesInput: false,
    onNews: (listener) => news.add(listener),
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

function whyEnded({ signal }: Exit, by: EndedBy | undefined, seconds: number) {
  if (by === "timeout") {
    return `Timed out after ${seconds} s: the command and everything it started was killed`;
  }
  if (by === "stopped") return "The command was stopped with the service";
  return signal === null ? undefined : `Ended by ${signal}`;
}

/** Returns the exit code as shells report it; -1 if unknown. */
function codeOf({ exitCode, signal }: Exit): number {
  if (exitCode !== null) return exitCode;
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
  return number === undefined ? -1 : 128 + number;
}

/** Returns the output, with a note where bytes were dropped. */
function textOf(kept: KeptOutput): string {
  const pieces = kept.read().map(({ bytes }) => bytes.toString("utf8"));
  return pieces.join(`\n[cut: ${kept.lost} bytes]\n`);
}
