// Owns the process of a coding agent that `pairpty agent` starts: its pipes, log, last output, and
// its end with all its children. Does not parse its protocol. Connects an agent's standard input
// and output to the bridge's socket: passes the agent's lines through, handles the bridge's own
// lines, and resolves when either side ends.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { compact } from "../../../protocol/compact.ts";
import { parseText } from "../../../protocol/json.ts";
import { MiB } from "../../../protocol/limits.ts";
import type { AgentGoneLine } from "../../doors/acp/agent-lines.ts";
import { AGENT_TAG_ENV, BridgeLine, isPairptyLine } from "../../doors/acp/agent-lines.ts";
import { ExitCode, errorMessage, findSystemCode, UserError } from "../../errors.ts";
import { LineSplitter } from "../../local/local-socket.ts";
import { openRotatingFile } from "../../logs/rotating-file.ts";
import { isRunning } from "../../processes/process-record.ts";
import { PROCESS_TAG_ENV, sweepVariable } from "../../sweep.ts";
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

/** Fits a response with a whole quoted file. */
const MAX_LINE_BYTES = 64 * MiB;

/** Why the connection ended. */
export type AgentEnd =
  /** The turn of the prompt is over. */
  | { readonly is: "turn"; readonly reason: string }
  | { readonly is: "no turn"; readonly error: string }
  /** The agent's process exited. */
  | { readonly is: "agent"; readonly how: string; readonly hasSpoken: boolean }
  /** The bridge closed the connection; without a message, the bridge itself is gone. */
  | { readonly is: "bridge"; readonly sentence?: string }
  /** The user stopped the agent. */
  | { readonly is: "stopped" };

export interface AgentStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly ended: Promise<string>;
}

export interface ConnectionHandlers {
  /** Fires when the bridge has accepted the agent. */
  readonly onAccepted: (link: string) => void;
  readonly onText: (text: string) => void;
  /** Fires when the agent waits for an approval. */
  readonly onApprovalRequested: (id: string, what: string) => void;
  readonly stopped: Promise<unknown>;
}

export async function connectAgent(
  agent: AgentStreams,
  socket: Socket,
  handlers: ConnectionHandlers,
): Promise<AgentEnd> {
  let hasSpoken = false;
  agent.stdout.on("data", () => {
    hasSpoken = true;
  });
  agent.stdout.pipe(socket, { end: false });
  const atBridge = new Promise<AgentEnd>((resolve) => {
    let message: string | undefined;
    const handleLine = (line: string): void => {
      const parsed = parseText(BridgeLine, line);
      if (!parsed.ok) return;
      const { here, text, turn, asks, closed } = parsed.value.pairpty;
      if (here !== undefined) handlers.onAccepted(here.link);
      if (text !== undefined) handlers.onText(text);
      if (asks !== undefined) handlers.onApprovalRequested(asks.id, asks.what);
      if (closed !== undefined) message = closed;
      if (turn === undefined) return;
      resolve("reason" in turn ? { is: "turn", ...turn } : { is: "no turn", ...turn });
    };
    const lines = new LineSplitter(MAX_LINE_BYTES);
    socket.on("data", (chunk: Buffer) => {
      const complete = lines.push(chunk);
      if (complete === undefined) return void socket.destroy();
      for (const line of complete) {
        if (isPairptyLine(line)) handleLine(line);
        else if (!agent.stdin.write(`${line}\n`)) pauseUntilDrained(agent.stdin, socket);
      }
      return undefined;
    });
    socket.on("close", () => {
      resolve({ is: "bridge", ...compact({ sentence: message }) });
    });
    socket.on("error", () => socket.destroy());
  });
  const atAgent = agent.ended.then((how): AgentEnd => {
    const gone: AgentGoneLine = { pairpty: { gone: `the agent exited (${how})` } };
    // On a line of its own, even if the agent's last line is unfinished.
    if (socket.writable) socket.write(`\n${JSON.stringify(gone)}\n`);
    return { is: "agent", how, hasSpoken };
  });
  const byUser = handlers.stopped.then((): AgentEnd => ({ is: "stopped" }));
  const end = await Promise.race([atBridge, atAgent, byUser]);
  agent.stdout.unpipe(socket);
  agent.stdout.resume();
  return end;
}

/** Pauses the socket until a slow agent has read, so that nothing accumulates here. */
function pauseUntilDrained(stdin: Writable, socket: Socket): void {
  if (socket.isPaused()) return;
  socket.pause();
  stdin.once("drain", () => socket.resume());
}
