// Owns the process of a coding agent that `pairpty agent` starts: its pipes, its log, its last words,
// and its end with everything that it started. Knows nothing of what it says.

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

/** Of its standard error, when it dies. */
const LAST_LINES = 10;
const LONGEST_LINE = 2_000;
/** For an agent that saves something when it is told to end. */
const END_GRACE_MS = 2_000;
/** Of its pipes, which something that it started may hold open. */
const LAST_WORDS_MS = 500;

export interface AgentCommand {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export class AgentProcess {
  /** In the environment of everything that it starts. */
  readonly mark: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with how it ended, once its last words are read. */
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
    // Whoever ended does not read; its end is told elsewhere.
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

  /** Rejects with what its user should know when it cannot be started. */
  static async start({ argv, cwd, env }: AgentCommand, log: string): Promise<AgentProcess> {
    const mark = randomBytes(16).toString("hex");
    const { [MARK]: _ours, ...rest } = env;
    const [program, ...args] = argv;
    // A group of its own: Ctrl-C is ours, and its end reaches whatever it started.
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

  /** What it wrote to its standard error last. */
  get lastLines(): readonly string[] {
    return this.#lastLines;
  }

  /** It and everything that it started. */
  async end(): Promise<void> {
    this.stdin.end();
    // Now: who has lost a parent is found by the mark alone, and a program may drop that (`env -i`).
    const tree = this.#isOver ? [] : treeOf(this.#child.pid);
    if (!this.#isOver) {
      // A sandbox takes a hang-up for its own, and TERM for the program's.
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
      // The whole group is gone.
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
      "Give the command that starts it after --, as you would type it here.",
    );
  }
  const why = code === "EACCES" ? "it is not executable" : messageOf(error);
  return new UserError(`the agent ${program} cannot be started: ${why}`, ExitCode.agent);
}
