// Owns the steps of the session tools: check, start through the backend, wait, crop, answer. The
// backend handles the requester; agents over MCP and programs that use the library both come here.

import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import { compilePattern } from "../reading/wait-until.ts";
import type {
  BashFields,
  ContinueFields,
  ListFields,
  StartFields,
  StopFields,
  ToolAnswer,
} from "./tool-answers.ts";
import {
  toContinueAnswer,
  toListAnswer,
  toStartAnswer,
  toStopAnswer,
  withNotes,
} from "./tool-answers.ts";
import type { BashArgs, ContinueArgs, StartArgs, ToolBackend } from "./tool-backend.ts";
import { BashTool } from "./bash.ts";
import type { Session, SessionRegistry } from "./session-registry.ts";
import { toSeconds, waitForFirstOutput, waitForOutput } from "./tool-waits.ts";
import { parseKeys } from "./named-keys.ts";
import { takeFromSession, takePage } from "./session-output.ts";

export class SessionTools<Who> {
  readonly #backend: ToolBackend<Who>;
  readonly #registry: SessionRegistry;
  readonly #bash: BashTool<Who>;

  constructor(backend: ToolBackend<Who>, registry: SessionRegistry) {
    this.#backend = backend;
    this.#registry = registry;
    this.#bash = new BashTool(backend, registry);
  }

  bash(who: Who, args: BashArgs, signal: AbortSignal): Promise<Outcome<ToolAnswer<BashFields>>> {
    return this.#bash.run(who, args, signal);
  }

  async start(
    who: Who,
    args: StartArgs,
    signal: AbortSignal,
  ): Promise<Outcome<ToolAnswer<StartFields>>> {
    const beganAt = Date.now();
    const { command: line, cwd, env, isolation, stdin } = args;
    if (line.trim() === "") return refusal("The command is empty");
    const matches = args.until === undefined ? undefined : compilePattern(args.until);
    if (typeof matches === "string") return refusal(matches);
    const opened = await this.#backend.open(who, { line, cwd, env, isolation }, signal);
    if (!opened.ok) return opened;
    const { target, startedAt } = opened.value;
    const [owner, through] = [this.#backend.getOwner(who), this.#backend.getConnection(who)];
    const options = { owner, command: line, target, startedAt, connection: through };
    const session = this.#registry.open(options, opened.value.number);
    const notes = stdin === undefined ? [] : await this.#typeFirst(who, session, stdin, signal);
    const settings = this.#backend.settings(who);
    const end = await waitForOutput(target, 0, matches, settings, beganAt, signal);
    const taken = await takeFromSession(session, settings.cropOutput);
    const { text: output, position } = taken;
    const started = { id: session.id, command: line, output, position };
    const exit = taken.isLast ? target.exit() : undefined;
    const answer = toStartAnswer(started, exit, { end, ...toSeconds(settings.intervals) });
    const hints = this.#backend.hints?.(target, output) ?? [];
    return { ok: true, value: withNotes(answer, [...notes, ...hints]) };
  }

  async continue(
    who: Who,
    args: ContinueArgs,
    signal: AbortSignal,
  ): Promise<Outcome<ToolAnswer<ContinueFields>>> {
    const beganAt = Date.now();
    const { sessionId, stdin, position } = args;
    const session = this.#registry.find(this.#backend.getOwner(who), sessionId);
    if (session === undefined) return refusal(notFound(sessionId));
    const matches = args.until === undefined ? undefined : compilePattern(args.until);
    if (typeof matches === "string") return refusal(matches);
    const { target } = session;
    target.claim();
    let from = session.position;
    if (stdin !== undefined && stdin !== "") {
      // Output from before cannot be an answer to the new input.
      from = (await target.read(from))?.end ?? from;
      const typed = await this.#type(who, session, stdin, signal);
      if (!typed.ok) return typed;
    }
    const settings = this.#backend.settings(who);
    const isReread = position !== undefined && position < ((await target.read(position))?.end ?? 0);
    const end = isReread
      ? undefined
      : await waitForOutput(target, from, matches, settings, beganAt, signal);
    const taken =
      position === undefined
        ? await takeFromSession(session, settings.cropOutput)
        : await takePage(target, position, settings.cropOutput);
    if (taken.isLast && position === undefined) session.markExitReported();
    const waited = end === undefined ? undefined : { end, ...toSeconds(settings.intervals) };
    const continued = {
      id: session.id,
      output: taken.text,
      position: taken.position,
      complete: taken.isLast,
    };
    const exit = taken.isLast ? target.exit() : undefined;
    return { ok: true, value: toContinueAnswer(continued, exit, waited) };
  }

  async stop(who: Who, sessionId: string): Promise<Outcome<ToolAnswer<StopFields>>> {
    const session = this.#registry.find(this.#backend.getOwner(who), sessionId);
    if (session === undefined) return refusal(notFound(sessionId));
    session.markExitReported();
    await session.target.stop();
    return { ok: true, value: toStopAnswer(session.id) };
  }

  list(who: Who): ToolAnswer<ListFields> {
    const now = Date.now();
    const sessions = this.#registry.list(this.#backend.getOwner(who));
    return toListAnswer(
      sessions.map(({ id, command, position, target, startedAt, endedAt = now }) => ({
        id,
        command,
        position,
        running: target.exit() === undefined,
        uptimeSeconds: Math.max(0, Math.floor((endedAt - startedAt) / 1_000)),
      })),
    );
  }

  async #type(
    who: Who,
    session: Session,
    stdin: string,
    signal: AbortSignal,
  ): Promise<Outcome<undefined>> {
    if (session.target.exit() !== undefined) return { ok: true, value: undefined };
    const typed = parseKeys(stdin);
    const allowed = await this.#backend.authorizeTyping(who, session, typed, signal);
    if (!allowed.ok) return allowed;
    const problem = await session.target.type(typed, allowed.value);
    return problem === undefined ? { ok: true, value: undefined } : refusal(problem);
  }

  /** Types the first input of a started session; returns a failure as a note beside its output. */
  async #typeFirst(
    who: Who,
    session: Session,
    stdin: string,
    signal: AbortSignal,
  ): Promise<string[]> {
    await waitForFirstOutput(session.target, signal);
    const typed = await this.#type(who, session, stdin, signal);
    return typed.ok ? [] : [`stdin was not typed: ${typed.error}`];
  }
}

function notFound(id: string): string {
  return `Terminal session ${id} not found; terminal_list lists the existing ones`;
}
