// Owns running commands with a provider that a program registered: which methods it has, and a plan
// of the command. The provider decides where and how it runs, so nothing is resolved on this
// machine. Also owns a session of a custom provider, in the form that the tools use: polled, since
// such a provider has no events. Counts its bytes.

import { createHash } from "node:crypto";
import type { Exit } from "../../protocol/terminal.ts";
import { KeptOutput } from "../commands/kept-output.ts";
import { Emitter } from "../emitter.ts";
import { errorMessage } from "../errors.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { AgentSpawnRequest } from "../pipeline/pipeline.ts";
import type { KeyInput } from "../sessions/named-keys.ts";
import type { SessionTarget, Output, TypingPermit } from "../sessions/session-target.ts";
import type { PlanResult } from "../terminals/spawn-plan.ts";
import type { RunningCommand } from "./service-command.ts";
import { failedResult, toRun, KEPT_OUTPUT_LIMITS } from "./service-command.ts";
import type { Runner } from "./service-job.ts";
import type {
  ExecuteCommandResult,
  PartialTerminalProvider,
  TerminalIsolationLevel,
  TerminalProvider,
} from "./types.ts";

/** All required methods of the interface. */
const METHODS = [
  "executeCommand",
  "runScript",
  "startInteractiveSession",
  "sendInput",
  "collectOutput",
  "terminateSession",
  "getSessionStatus",
  "getIsolationLevel",
] as const satisfies readonly (keyof TerminalProvider)[];

/** Methods that a provider must have; others may be missing, and throw when called. */
const REQUIRED_METHODS = ["executeCommand", "runScript"] as const;

/**
 * Returns the provider with every method: missing ones throw an error that names them. Its
 * isolation is `none` unless it reports another. Throws if it cannot run a command.
 */
export function completeProvider(
  name: string,
  provider: PartialTerminalProvider,
): TerminalProvider {
  const needed = REQUIRED_METHODS.find((method) => typeof provider[method] !== "function");
  if (needed !== undefined) {
    throw new Error(
      `The terminal provider "${name}" has no ${needed}(), so it cannot run commands.`,
    );
  }
  if (isCompleteProvider(provider)) return provider;
  const whole: TerminalProvider = Object.create(provider, {});
  for (const method of listMissing(provider)) {
    const value = method === "getIsolationLevel" ? () => "none" : throwMissing(name, method);
    Object.defineProperty(whole, method, { value });
  }
  return whole;
}

function listMissing(provider: PartialTerminalProvider): (typeof METHODS)[number][] {
  return METHODS.filter((method) => typeof provider[method] !== "function");
}

function isCompleteProvider(provider: PartialTerminalProvider): provider is TerminalProvider {
  return listMissing(provider).length === 0;
}

function throwMissing(name: string, method: string): () => never {
  return () => {
    throw new Error(
      `The terminal provider "${name}" has no ${method}(): it runs commands but has no sessions.`,
    );
  };
}

/** Returns a runner for the pipeline that makes one call of the provider. */
export function customRunner<Started>(
  start: () => Promise<Outcome<Started>>,
  end: (started: Started) => void,
  isolation: TerminalIsolationLevel,
  folder: string,
): Runner<Started> {
  return {
    plan: (request) => planCustom(request, isolation, folder),
    digest: ({ argv, cwd, added }) =>
      createHash("sha256")
        .update(JSON.stringify([argv, cwd, added]))
        .digest("hex"),
    isolate: async (plan) => ({ ok: true, plan }),
    start,
    end,
  };
}

/** Starts the provider's call; only the provider can end it. */
export async function startCustom(
  call: () => Promise<ExecuteCommandResult>,
): Promise<Outcome<RunningCommand>> {
  const result = call().catch((error: unknown) => failedResult(errorMessage(error)));
  return { ok: true, value: { run: toRun(result), result: () => result } };
}

/** Plans the command as given. `folder` is the default folder. */
function planCustom(
  request: AgentSpawnRequest,
  isolation: TerminalIsolationLevel,
  folder: string,
): PlanResult {
  const { line, input, env: added = {}, lane, lifetime, cwd = folder } = request;
  const command = line === undefined ? (request.command ?? []) : ["sh", "-c", line];
  const [program, ...args] = command;
  if (program === undefined || program === "") return { ok: false, error: "The command is empty" };
  return {
    ok: true,
    plan: {
      command,
      line,
      input,
      argv: [program, ...args],
      cwd,
      env: {},
      added,
      size: { cols: 80, rows: 24 },
      lane,
      lifetime,
      retain: undefined,
      isolation,
      startedBy: undefined,
    },
  };
}

/** Poll intervals: while a call waits for output, and otherwise. */
const FAST_POLL_MS = 50;
const SLOW_POLL_MS = 1_000;
const NO_WAIT = { minInterval: 0, settleInterval: 0, maxInterval: 0 };

type Provider = Pick<TerminalProvider, "collectOutput" | "sendInput" | "terminateSession">;

export class CustomSession implements SessionTarget {
  readonly finished: Promise<void>;
  readonly #provider: Provider;
  readonly #id: string;
  readonly #kept = new KeptOutput(KEPT_OUTPUT_LIMITS);
  readonly #listeners = new Emitter<[]>();
  readonly #finish: () => void;
  /** The provider's position, which may not count bytes. */
  #position = 0;
  #exit: Exit | undefined;
  #polling: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Number of calls that wait for output. */
  #waiting = 0;

  constructor(provider: Provider, id: string) {
    this.#provider = provider;
    this.#id = id;
    let finish = () => {};
    this.finished = new Promise((resolve) => {
      finish = resolve;
    });
    this.#finish = finish;
    this.#schedulePoll();
  }

  exit(): Exit | undefined {
    return this.#exit;
  }

  /** Returns what the last poll collected; its exit is known by then, too. */
  async read(from: number): Promise<Output> {
    const { end } = this.#kept;
    return { pieces: this.#kept.read(Math.min(from, end), end), end };
  }

  subscribe(listener: () => void): () => void {
    const end = this.#listeners.add(listener);
    this.#waiting += 1;
    this.#pollNow();
    let isWaiting = true;
    return () => {
      if (isWaiting) this.#waiting -= 1;
      isWaiting = false;
      end();
    };
  }

  async type(typed: readonly KeyInput[], permit: TypingPermit): Promise<string | undefined> {
    const withdrawn = permit.use();
    if (withdrawn !== undefined) return withdrawn;
    try {
      await this.#provider.sendInput(this.#id, toText(typed));
      return undefined;
    } catch (error) {
      return errorMessage(error);
    }
  }

  claim(): void {}

  storeProgress(): void {}

  async stop(): Promise<void> {
    try {
      await this.#provider.terminateSession(this.#id);
    } finally {
      this.#end({ exitCode: null, signal: null });
    }
  }

  /** Polls once; concurrent calls share it, since two would count the same output twice. */
  #poll(): Promise<void> {
    this.#polling ??= this.#collect().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #collect(): Promise<void> {
    if (this.#exit !== undefined) return;
    try {
      const { output, newPosition, isComplete, exitCode } = await this.#provider.collectOutput(
        this.#id,
        this.#position,
        NO_WAIT,
      );
      this.#position = newPosition;
      if (output !== "") this.#kept.append(Buffer.from(output));
      if (isComplete) this.#end({ exitCode: exitCode ?? null, signal: null });
      else if (output !== "") this.#listeners.fire();
    } catch (error) {
      this.#kept.append(Buffer.from(`${errorMessage(error)}\n`));
      this.#end({ exitCode: null, signal: null });
    }
  }

  #pollNow(): void {
    clearTimeout(this.#timer);
    void this.#poll().then(() => this.#schedulePoll());
  }

  #schedulePoll(): void {
    clearTimeout(this.#timer);
    if (this.#exit !== undefined) return;
    const wait = this.#waiting > 0 ? FAST_POLL_MS : SLOW_POLL_MS;
    this.#timer = setTimeout(() => this.#pollNow(), wait);
    this.#timer.unref();
  }

  #end(exit: Exit): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    clearTimeout(this.#timer);
    this.#finish();
    this.#listeners.fire();
  }
}

function toText(typed: readonly KeyInput[]): string {
  return typed.map((one) => (one.kind === "text" ? one.text : one.bytes)).join("");
}
