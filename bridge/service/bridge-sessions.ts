// Owns sessions that a bridge holds for a program: the tools `terminal_start`, `_continue` and `_stop`,
// and what is known of each from their answers.

import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod/mini";
import { parseValue } from "../../protocol/json.ts";
import { keyBytes } from "../sessions/keys.ts";
import { placeArgs } from "./bridge-commands.ts";
import type { CallTool, ToolSaid } from "./mcp-lines.ts";
import type {
  ExecuteCommandOptions,
  InteractiveTerminalOutput,
  OutputWaitOptions,
  SessionStatus,
  TerminalIsolationLevel,
} from "./types.ts";

const Started = z.object({ id: z.string(), position: z.number() });
const Continued = z.object({
  output: z.string(),
  position: z.number(),
  complete: z.boolean(),
  exitCode: z.optional(z.nullable(z.int())),
});

/** Typing is not held up by what it causes: the answer to it comes with the next output. */
const TYPING_MS = 500;
const NAMED_KEY = /<([A-Za-z][\w-]*|[CM]-[!-~])>/g;

interface Known {
  status: SessionStatus;
  /** What was typed last, and what became of it. */
  typing: Promise<ToolSaid | undefined>;
}

export class BridgeSessions {
  readonly #call: CallTool;
  readonly #isolation: TerminalIsolationLevel | undefined;
  readonly #known = new Map<string, Known>();

  constructor(call: CallTool, isolation: TerminalIsolationLevel | undefined) {
    this.#call = call;
    this.#isolation = isolation;
  }

  async start(command: string, options: ExecuteCommandOptions): Promise<string> {
    const place = placeArgs(options, this.#isolation);
    if (typeof place === "string") throw new Error(place);
    const { input } = options;
    const stdin = input === undefined ? {} : { stdin: asText(input) };
    const said = await this.#call("terminal_start", { command, ...stdin, ...place });
    const { id, position } = read(Started, said);
    const startTime = Date.now();
    const status = { id, running: true, startTime, outputLength: position };
    this.#known.set(id, { status, typing: Promise.resolve(undefined) });
    return id;
  }

  async send(id: string, input: string): Promise<void> {
    const known = this.#require(id);
    await settled(known);
    known.typing = this.#call("terminal_continue", { sessionId: id, stdin: asText(input) });
    // Whoever asks next is told.
    known.typing.catch(() => {});
    const said = await Promise.race([known.typing, delay(TYPING_MS, undefined, { ref: false })]);
    if (said?.isError === true) await settled(known);
  }

  async collect(
    id: string,
    fromPosition: number,
    { maxInterval }: OutputWaitOptions,
  ): Promise<InteractiveTerminalOutput> {
    const known = this.#require(id);
    const typed = await settled(known);
    // What was typed has been waited for already.
    if (typed === undefined && maxInterval > 0 && known.status.running) {
      read(Continued, await this.#call("terminal_continue", { sessionId: id }));
    }
    const args = { sessionId: id, position: fromPosition };
    const told = read(Continued, await this.#call("terminal_continue", args));
    const { output, position, complete, exitCode } = told;
    const code = exitCode === undefined || exitCode === null ? {} : { exitCode };
    known.status = { ...known.status, running: !complete, outputLength: position, ...code };
    return { output, newPosition: position, isComplete: complete, ...code };
  }

  async stop(id: string): Promise<void> {
    this.#require(id);
    this.#known.delete(id);
    const said = await this.#call("terminal_stop", { sessionId: id });
    if (said.isError) throw new Error(said.text);
  }

  async stopAll(): Promise<void> {
    const ids = [...this.#known.keys()];
    // One that is gone has ended.
    await Promise.all(ids.map((id) => this.stop(id).catch(() => {})));
  }

  status(id: string): SessionStatus | null {
    return this.#known.get(id)?.status ?? null;
  }

  #require(id: string): Known {
    const known = this.#known.get(id);
    if (known === undefined) throw new Error(`There is no session ${id}`);
    return known;
  }
}

/** What became of what was typed last; an error of it is told once. */
async function settled(known: Known): Promise<ToolSaid | undefined> {
  const { typing } = known;
  known.typing = Promise.resolve(undefined);
  const said = await typing;
  if (said?.isError === true) throw new Error(said.text);
  return said;
}

function read<Shape>(shape: z.ZodMiniType<Shape>, said: ToolSaid): Shape {
  if (said.isError) throw new Error(said.text);
  const told = parseValue(shape, said.structured);
  if (!told.ok) throw new Error(`The bridge answered with something else: ${told.error}`);
  return told.value;
}

/** For a tool that knows keys by names: every character as it stands. */
function asText(input: string): string {
  return input.replaceAll(NAMED_KEY, (whole, name: string) =>
    keyBytes(name) === undefined ? whole : `<${whole}`,
  );
}
