// Owns sessions that a bridge holds for a program: the tools `terminal_start`, `_continue` and
// `_stop`, and the state of each session from their answers. Also owns commands that a bridge runs
// for a program: calls the tool `bash` and converts its answer.

import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod/mini";
import { compact } from "../../protocol/compact.ts";
import { parseValue } from "../../protocol/json.ts";
import { errorMessage } from "../errors.ts";
import { getKeyBytes } from "../sessions/named-keys.ts";
import { findOutput } from "../sessions/tool-texts.ts";
import { failedResult } from "./service-command.ts";
import { splitEnvironment } from "./local-plan.ts";
import type { CallTool, ToolCallResult } from "./mcp-client.ts";
import type {
  ExecuteCommandOptions,
  InteractiveTerminalOutput,
  OutputWaitOptions,
  SessionStatus,
  TerminalIsolationLevel,
  ExecuteCommandResult,
} from "./types.ts";

const StartResult = z.object({ id: z.string(), position: z.number() });
const ContinueResult = z.object({
  output: z.string(),
  position: z.number(),
  complete: z.boolean(),
  exitCode: z.optional(z.nullable(z.int())),
});

/** How long `send` waits for an early error; the rest of the answer comes with the next output. */
const TYPING_MS = 500;
const NAMED_KEY = /<([A-Za-z][\w-]*|[CM]-[!-~])>/g;

interface KnownSession {
  status: SessionStatus;
  /** The last input, and its pending answer. */
  typing: Promise<ToolCallResult | undefined>;
}

export class BridgeSessions {
  readonly #call: CallTool;
  readonly #isolation: TerminalIsolationLevel | undefined;
  readonly #known = new Map<string, KnownSession>();

  constructor(call: CallTool, isolation: TerminalIsolationLevel | undefined) {
    this.#call = call;
    this.#isolation = isolation;
  }

  async start(command: string, options: ExecuteCommandOptions): Promise<string> {
    const placement = toPlacementArgs(options, this.#isolation);
    if (typeof placement === "string") throw new Error(placement);
    const { input } = options;
    const stdin = input === undefined ? {} : { stdin: escapeNamedKeys(input) };
    const answer = await this.#call("terminal_start", { command, ...stdin, ...placement });
    const { id, position } = parseAnswer(StartResult, answer);
    const startTime = Date.now();
    const status = { id, running: true, startTime, outputLength: position };
    this.#known.set(id, { status, typing: Promise.resolve(undefined) });
    return id;
  }

  async send(id: string, input: string): Promise<void> {
    const known = this.#require(id);
    await takeLastAnswer(known);
    known.typing = this.#call("terminal_continue", {
      sessionId: id,
      stdin: escapeNamedKeys(input),
    });
    // The next call reports the error.
    known.typing.catch(() => {});
    const answer = await Promise.race([known.typing, delay(TYPING_MS, undefined, { ref: false })]);
    if (answer?.isError === true) await takeLastAnswer(known);
  }

  async collect(
    id: string,
    fromPosition: number,
    { maxInterval }: OutputWaitOptions,
  ): Promise<InteractiveTerminalOutput> {
    const known = this.#require(id);
    const typed = await takeLastAnswer(known);
    // The answer to the input already waited for output.
    if (typed === undefined && maxInterval > 0 && known.status.running) {
      parseAnswer(ContinueResult, await this.#call("terminal_continue", { sessionId: id }));
    }
    const args = { sessionId: id, position: fromPosition };
    const result = parseAnswer(ContinueResult, await this.#call("terminal_continue", args));
    const { output, position, complete, exitCode } = result;
    const code = exitCode === undefined || exitCode === null ? {} : { exitCode };
    known.status = { ...known.status, running: !complete, outputLength: position, ...code };
    return { output, newPosition: position, isComplete: complete, ...code };
  }

  async stop(id: string): Promise<void> {
    this.#require(id);
    this.#known.delete(id);
    const answer = await this.#call("terminal_stop", { sessionId: id });
    if (answer.isError) throw new Error(answer.text);
  }

  async stopAll(): Promise<void> {
    const ids = [...this.#known.keys()];
    // Errors mean that it has already ended.
    await Promise.all(ids.map((id) => this.stop(id).catch(() => {})));
  }

  status(id: string): SessionStatus | null {
    return this.#known.get(id)?.status ?? null;
  }

  #require(id: string): KnownSession {
    const known = this.#known.get(id);
    if (known === undefined) throw new Error(`There is no session ${id}`);
    return known;
  }
}

/** Resolves with the answer to the last input; throws its error once. */
async function takeLastAnswer(known: KnownSession): Promise<ToolCallResult | undefined> {
  const { typing } = known;
  known.typing = Promise.resolve(undefined);
  const answer = await typing;
  if (answer?.isError === true) throw new Error(answer.text);
  return answer;
}

function parseAnswer<Shape>(shape: z.ZodMiniType<Shape>, answer: ToolCallResult): Shape {
  if (answer.isError) throw new Error(answer.text);
  const result = parseValue(shape, answer.structured);
  if (!result.ok) throw new Error(`Unexpected answer from the bridge: ${result.error}`);
  return result.value;
}

/** Escapes named keys, so that the tool types every character literally. */
function escapeNamedKeys(input: string): string {
  return input.replaceAll(NAMED_KEY, (whole, name: string) =>
    getKeyBytes(name) === undefined ? whole : `<${whole}`,
  );
}

// A command that outlasts one answer is awaited as the session that it becomes.

const BashResult = z.object({
  ok: z.boolean(),
  exitCode: z.nullable(z.int()),
  stdout: z.string(),
  stderr: z.string(),
  /** Sent by newer bridges beside the text; otherwise taken from the text. */
  output: z.optional(z.string()),
  error: z.optional(z.string()),
  signal: z.optional(z.string()),
  id: z.optional(z.string()),
  position: z.optional(z.number()),
});
type BashResult = z.infer<typeof BashResult> & { readonly output: string };

const CommandProgress = z.object({
  output: z.string(),
  complete: z.boolean(),
  exitCode: z.optional(z.nullable(z.int())),
});

export class BridgeCommands {
  readonly #call: CallTool;
  readonly #isolation: TerminalIsolationLevel | undefined;

  constructor(call: CallTool, isolation: TerminalIsolationLevel | undefined) {
    this.#call = call;
    this.#isolation = isolation;
  }

  async run(command: string, options: ExecuteCommandOptions): Promise<ExecuteCommandResult> {
    try {
      const placement = toPlacementArgs(options, this.#isolation);
      if (typeof placement === "string") return failedResult(placement);
      const { input, timeoutSeconds } = options;
      const stdin = input === undefined ? {} : { stdin: input };
      const until = Date.now() + timeoutSeconds * 1_000;
      const answer = await this.#call("bash", { command, timeoutSeconds, ...stdin, ...placement });
      if (answer.isError) return failedResult(answer.text);
      const ran = parseValue(BashResult, answer.structured);
      if (!ran.ok) return failedResult(`Unexpected answer from the bridge: ${ran.error}`);
      const { id, exitCode, signal } = ran.value;
      const begun = { ...ran.value, output: ran.value.output ?? findOutput(answer.text, command) };
      // Not over before its own timeout, so it continues as a session.
      const isOver = exitCode !== null || signal !== undefined;
      if (isOver || id === undefined) return toResult(begun);
      return await this.#awaitSession(begun, id, until, timeoutSeconds);
    } catch (error) {
      return failedResult(errorMessage(error));
    }
  }

  async #awaitSession(
    begun: BashResult,
    sessionId: string,
    until: number,
    seconds: number,
  ): Promise<ExecuteCommandResult> {
    let { output, stdout } = begun;
    for (;;) {
      if (Date.now() >= until) {
        await this.#call("terminal_stop", { sessionId });
        const error = `Timed out after ${seconds} s: the command and everything it started was killed`;
        return { ok: false, output, exitCode: -1, stdout, stderr: begun.stderr, error };
      }
      const answer = await this.#call("terminal_continue", { sessionId });
      const more = parseValue(CommandProgress, answer.structured);
      if (answer.isError || !more.ok) return failedResult(answer.text);
      // From here on, both streams come combined.
      output += more.value.output;
      stdout += more.value.output;
      if (!more.value.complete) continue;
      const exitCode = more.value.exitCode ?? -1;
      return { ok: exitCode === 0, output, exitCode, stdout, stderr: begun.stderr };
    }
  }
}

/** Returns folder, variables and isolation as tool arguments, or an error text. */
function toPlacementArgs(
  { workingDirectory, env }: ExecuteCommandOptions,
  isolation: TerminalIsolationLevel | undefined,
): object | string {
  const { added, removed } = splitEnvironment(env);
  if (removed.size > 0) {
    return `A bridge cannot remove environment variables: ${[...removed].join(", ")}`;
  }
  return {
    ...compact({ workingDirectory }),
    ...(Object.keys(added).length === 0 ? {} : { env: added }),
    ...compact({ isolation }),
  };
}

function toResult({ ok, output, exitCode, stdout, stderr, error, signal }: BashResult) {
  const why = error ?? (signal === undefined ? undefined : `Ended by ${signal}`);
  const result = { ok, output, exitCode: exitCode ?? -1, stdout, stderr };
  return why === undefined ? result : { ...result, error: why };
}
