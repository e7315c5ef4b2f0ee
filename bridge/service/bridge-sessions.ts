// Owns sessions that a bridge holds for a program: the tools `terminal_start`, `_continue` and
// `_stop`, and the state of each session from their answers.

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

/** How long `send` waits for an early error; the rest of the answer comes with the next output. */
const TYPING_MS = 500;
const NAMED_KEY = /<([A-Za-z][\w-]*|[CM]-[!-~])>/g;

interface Known {
  status: SessionStatus;
  /** The last input, and its pending answer. */
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
    // The next call reports the error.
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
    // The answer to the input already waited for output.
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
    // Errors mean that it has already ended.
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

/** Resolves with the answer to the last input; throws its error once. */
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
  if (!told.ok) throw new Error(`Unexpected answer from the bridge: ${told.error}`);
  return told.value;
}

/** Escapes named keys, so that the tool types every character literally. */
function asText(input: string): string {
  return input.replaceAll(NAMED_KEY, (whole, name: string) =>
    keyBytes(name) === undefined ? whole : `<${whole}`,
  );
}
