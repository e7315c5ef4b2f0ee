// Owns the process of a coding agent that `pairpty agent` starts: its pipes, log, last output, and its
// end with all its children. Does not parse its protocol.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { AGENT_TAG_ENV } from "../../doors/acp/agent-lines.ts";
import { ExitCode, errorMessage, findSystemCode, UserError } from "../../errors.ts";
import { openRotatingFile } from "../../logs/rotating-file.ts";
import { PROCESS_TAG_ENV, sweepVariable } from "../../sweep.ts";
import { isRunning } from "../../processes/process-record.ts";
import { killProcess, listProcessTree } from "../../terminals/end-tree.ts";

/** Lines of standard error to show when the agent dies. */
const MAX_LAST_LINES = 10;
const MAX_LINE_LENGTH = 2_000;
/** Grace period for an agent that saves state on SIGTERM. */
const END_GRACE_MS = 2_000;
/** How long to wait for the pipes to close: a child process may hold them open. */
const PIPE_CLOSE_MS = 500;

export interface AgentCommand {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export class AgentProcess {
  /** Tag in the environment of all its processes. */
  readonly tag: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with the exit code or signal, after the last output was read. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #lastLines: string[] = [];
  #hasExited = false;

  private constructor(child: ChildProcess, tag: string, log: string) {
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null || stderr === null) throw new Error("no pipes");
    this.#child = child;
    this.tag = tag;
    this.stdin = stdin;
    this.stdout = stdout;
    // Writing to an exited agent fails; `ended` reports its exit.
    stdin.on("error", () => {});
    const write = openRotatingFile({ path: log, maxBytes: 1 << 20 });
    createInterface({ input: stderr }).on("line", (line) => {
      write(line);
      this.#lastLines.push(line.slice(0, MAX_LINE_LENGTH));
      if (this.#lastLines.length > MAX_LAST_LINES) this.#lastLines.shift();
    });
    this.ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#hasExited = true;
        const exitReason = signal === null ? `exit code ${code}` : signal;
        child.once("close", () => resolve(exitReason));
        setTimeout(() => resolve(exitReason), PIPE_CLOSE_MS).unref();
      });
    });
  }

  /** Starts the agent; rejects with a user error if that fails. */
  static async start({ argv, cwd, env }: AgentCommand, log: string): Promise<AgentProcess> {
    const tag = randomBytes(16).toString("hex");
    const { [PROCESS_TAG_ENV]: _ours, ...rest } = env;
    const [program, ...args] = argv;
    // Own group: Ctrl-C does not reach it, and signals reach its children.
    const child = spawn(program, args, {
      cwd,
      env: { ...rest, [AGENT_TAG_ENV]: tag },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    await new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(toStartError(program, error)));
    });
    return new AgentProcess(child, tag, log);
  }

  /** Returns its last lines of standard error. */
  get lastLines(): readonly string[] {
    return this.#lastLines;
  }

  /** Ends the agent and all its processes. */
  async end(): Promise<void> {
    this.stdin.end();
    // Listed now: orphans are found only by their tag, and a program may drop it (`env -i`).
    const tree = this.#hasExited ? [] : listProcessTree(this.#child.pid);
    if (!this.#hasExited) {
      // bubblewrap exits on SIGHUP; SIGTERM is for the program inside.
      this.#signal("SIGTERM");
      this.#signal("SIGHUP");
      await Promise.race([this.ended, delay(END_GRACE_MS, undefined, { ref: false })]);
    }
    this.#signal("SIGKILL");
    sweepVariable(AGENT_TAG_ENV, this.tag);
    for (const left of tree) if (isRunning(left)) killProcess(left.pid);
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
    } catch (error) {
      // The group is already empty.
      if (findSystemCode(error) !== "ESRCH") throw error;
    }
  }
}

function toStartError(program: string, error: Error): UserError {
  const code = findSystemCode(error);
  if (code === "ENOENT") {
    return new UserError(
      `the agent's program was not found: ${program}`,
      ExitCode.agent,
      "Give the command that starts it after --, as you would type it in a shell.",
    );
  }
  const why = code === "EACCES" ? "it is not executable" : errorMessage(error);
  return new UserError(`the agent ${program} cannot be started: ${why}`, ExitCode.agent);
}
