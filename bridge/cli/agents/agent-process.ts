// Owns the process of a coding agent that `pairpty agent` starts: its pipes, log, last output, and its
// end with all its children. Does not parse its protocol.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { AGENT_MARK } from "../../doors/acp/words.ts";
import { ExitCode, messageOf, systemCode, UserError } from "../../errors.ts";
import { rotatingFile } from "../../logs/rotating-file.ts";
import { MARK } from "../../mark.ts";
import { isRunning } from "../../processes/record.ts";
import { sweepVariable } from "../../sweep.ts";
import { kill, treeOf } from "../../terminals/ending.ts";

/** Lines of standard error to show when the agent dies. */
const LAST_LINES = 10;
const LONGEST_LINE = 2_000;
/** For an agent that saves state on SIGTERM. */
const END_GRACE_MS = 2_000;
/** Wait for the pipes to close, which a child may hold open. */
const LAST_WORDS_MS = 500;

export interface AgentCommand {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export class AgentProcess {
  /** Tag in the environment of all its processes. */
  readonly mark: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with the exit code or signal, after the last output was read. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #lastLines: string[] = [];
  #isOver = false;

  private constructor(child: ChildProcess, mark: string, log: string) {
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null || stderr === null) throw new Error("no pipes");
    this.#child = child;
    this.mark = mark;
    this.stdin = stdin;
    this.stdout = stdout;
    // Writing to an exited agent fails; `ended` reports its exit.
    stdin.on("error", () => {});
    const write = rotatingFile({ path: log, mostBytes: 1 << 20 });
    createInterface({ input: stderr }).on("line", (line) => {
      write(line);
      this.#lastLines.push(line.slice(0, LONGEST_LINE));
      if (this.#lastLines.length > LAST_LINES) this.#lastLines.shift();
    });
    this.ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#isOver = true;
        const how = signal === null ? `exit code ${code}` : signal;
        child.once("close", () => resolve(how));
        setTimeout(() => resolve(how), LAST_WORDS_MS).unref();
      });
    });
  }

  /** Starts the agent; rejects with a user error if that fails. */
  static async start({ argv, cwd, env }: AgentCommand, log: string): Promise<AgentProcess> {
    const mark = randomBytes(16).toString("hex");
    const { [MARK]: _ours, ...rest } = env;
    const [program, ...args] = argv;
    // Own group: Ctrl-C does not reach it, and signals reach its children.
    const child = spawn(program, args, {
      cwd,
      env: { ...rest, [AGENT_MARK]: mark },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    await new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(notStarted(program, error)));
    });
    return new AgentProcess(child, mark, log);
  }

  /** Returns its last lines of standard error. */
  get lastLines(): readonly string[] {
    return this.#lastLines;
  }

  /** Ends the agent and all its processes. */
  async end(): Promise<void> {
    this.stdin.end();
    // Listed now: orphans are found by the tag only, and a program may drop it (`env -i`).
    const tree = this.#isOver ? [] : treeOf(this.#child.pid);
    if (!this.#isOver) {
      // bubblewrap exits on SIGHUP; SIGTERM is for the program inside.
      this.#signal("SIGTERM");
      this.#signal("SIGHUP");
      await Promise.race([this.ended, delay(END_GRACE_MS, undefined, { ref: false })]);
    }
    this.#signal("SIGKILL");
    sweepVariable(AGENT_MARK, this.mark);
    for (const left of tree) if (isRunning(left)) kill(left.pid);
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
    } catch (error) {
      // The group is already empty.
      if (systemCode(error) !== "ESRCH") throw error;
    }
  }
}

function notStarted(program: string, error: Error): UserError {
  const code = systemCode(error);
  if (code === "ENOENT") {
    return new UserError(
      `the agent's program was not found: ${program}`,
      ExitCode.agent,
      "Give the command that starts it after --, as you would type it in a shell.",
    );
  }
  const why = code === "EACCES" ? "it is not executable" : messageOf(error);
  return new UserError(`the agent ${program} cannot be started: ${why}`, ExitCode.agent);
}
