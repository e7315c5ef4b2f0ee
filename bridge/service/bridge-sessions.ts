// Owns sessions that a bridge holds for a program: the tools `terminal_start`, `_continue` and
// `_stop`, and the state of each session from their answers.

import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod/mini";
import { parseValue } from "../../protocol/json.ts";
import { getKeyBytes } from "../sessions/named-keys.ts";
import { toPlacementArgs } from "./bridge-commands.ts";
import type { CallTool, ToolCallResult } from "./mcp-client.ts";
import type {
  ExecuteCommandOptions,
  InteractiveTerminalOutput,
  OutputWaitOptions,
  SessionStatus,
  TerminalIsolationLevel,
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
