// Owns commands that a bridge runs for a program: calls the tool `bash` and converts its answer. A
// command that outlasts one answer is awaited as the session that it becomes.

import * as z from "zod/mini";
import { parseValue } from "../../protocol/json.ts";
import { errorMessage } from "../errors.ts";
import { findOutput } from "../sessions/tool-texts.ts";
import { splitEnvironment } from "./local-plan.ts";
import type { CallTool } from "./mcp-client.ts";
import { failedResult } from "./command-result.ts";
import type {
  ExecuteCommandOptions,
  ExecuteCommandResult,
  TerminalIsolationLevel,
} from "./types.ts";

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

const ContinueResult = z.object({
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
      const more = parseValue(ContinueResult, answer.structured);
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
export function toPlacementArgs(
  { workingDirectory, env }: ExecuteCommandOptions,
  isolation: TerminalIsolationLevel | undefined,
): object | string {
  const { added, removed } = splitEnvironment(env);
  if (removed.size > 0) {
    return `A bridge cannot remove environment variables: ${[...removed].join(", ")}`;
  }
  return {
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
    ...(Object.keys(added).length === 0 ? {} : { env: added }),
    ...(isolation === undefined ? {} : { isolation }),
  };
}

function toResult({ ok, output, exitCode, stdout, stderr, error, signal }: BashResult) {
  const why = error ?? (signal === undefined ? undefined : `Ended by ${signal}`);
  const result = { ok, output, exitCode: exitCode ?? -1, stdout, stderr };
  return why === undefined ? result : { ...result, error: why };
}
