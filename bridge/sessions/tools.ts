// Owns the steps of the session tools: check, start through the backend, wait, crop, answer. The
// backend handles the requester; agents over MCP and programs that use the library both come here.

import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import { compilePattern } from "../reading/waiting.ts";
import type {
  BashFields,
  ContinueFields,
  ListFields,
  StartFields,
  StopFields,
  ToolAnswer,
} from "./answers.ts";
import { continueAnswer, listAnswer, startAnswer, stopAnswer, withNotes } from "./answers.ts";
import type { BashArgs, ContinueArgs, StartArgs, ToolBackend } from "./backend.ts";
import { BashTool } from "./bash.ts";
import type { Session, SessionBook } from "./book.ts";
import { secondsOf } from "./intervals.ts";
import { parseKeys } from "./keys.ts";
import { takeFrom, takePage } from "./taking.ts";
import { untilFirstOutput, waitFor } from "./waits.ts";

export class SessionTools<Who> {
  readonly #backend: ToolBackend<Who>;
  readonly #book: SessionBook;
  readonly #bash: BashTool<Who>;

  constructor(backend: ToolBackend<Who>, book: SessionBook) {
    this.#backend = backend;
    this.#book = book;
    this.#bash = new BashTool(backend, book);
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
    const { live, startedAt } = opened.value;
    const [owner, through] = [this.#backend.ownerOf(who), this.#backend.throughOf(who)];
    const wish = { owner, command: line, live, startedAt, through };
    const session = this.#book.open(wish, opened.value.number);
    const notes = stdin === undefined ? [] : await this.#typeFirst(who, session, stdin, signal);
    const settings = this.#backend.settings(who);
    const end = await waitFor(live, 0, matches, settings, beganAt, signal);
    const taken = await takeFrom(session, settings.cropOutput);
    const { text: output, position } = taken;
    const started = { id: session.id, command: line, output, position };
    const exit = taken.isLast ? live.exit() : undefined;
    const answer = startAnswer(started, exit, { end, ...secondsOf(settings.intervals) });
    const hints = this.#backend.hints?.(live, output) ?? [];
    return { ok: true, value: withNotes(answer, [...notes, ...hints]) };
  }

  async continue(
    who: Who,
    args: ContinueArgs,
    signal: AbortSignal,
  ): Promise<Outcome<ToolAnswer<ContinueFields>>> {
    const beganAt = Date.now();
    const { sessionId, stdin, position } = args;
    const session = this.#book.find(this.#backend.ownerOf(who), sessionId);
    if (session === undefined) return refusal(notFound(sessionId));
    const matches = args.until === undefined ? undefined : compilePattern(args.until);
    if (typeof matches === "string") return refusal(matches);
    const { live } = session;
    live.claim();
    let from = session.position;
    if (stdin !== undefined && stdin !== "") {
      // Output from before cannot be an answer to the new input.
      from = (await live.read(from))?.end ?? from;
      const typed = await this.#type(who, session, stdin, signal);
      if (!typed.ok) return typed;
    }
    const settings = this.#backend.settings(who);
    const isAgain = position !== undefined && position < ((await live.read(position))?.end ?? 0);
    const end = isAgain ? undefined : await waitFor(live, from, matches, settings, beganAt, signal);
    const taken =
      position === undefined
        ? await takeFrom(session, settings.cropOutput)
        : await takePage(live, position, settings.cropOutput);
    if (taken.isLast && position === undefined) session.tellEnd();
    const waited = end === undefined ? undefined : { end, ...secondsOf(settings.intervals) };
    const continued = {
      id: session.id,
      output: taken.text,
      position: taken.position,
      complete: taken.isLast,
    };
    const exit = taken.isLast ? live.exit() : undefined;
    return { ok: true, value: continueAnswer(continued, exit, waited) };
  }

  async stop(who: Who, sessionId: string): Promise<Outcome<ToolAnswer<StopFields>>> {
    const session = this.#book.find(this.#backend.ownerOf(who), sessionId);
    if (session === undefined) return refusal(notFound(sessionId));
    session.tellEnd();
    await session.live.stop();
    return { ok: true, value: stopAnswer(session.id) };
  }

  list(who: Who): ToolAnswer<ListFields> {
    const now = Date.now();
    const sessions = this.#book.list(this.#backend.ownerOf(who));
    return listAnswer(
      sessions.map(({ id, command, position, live, startedAt, overAt = now }) => ({
        id,
        command,
        position,
        running: live.exit() === undefined,
        uptimeSeconds: Math.max(0, Math.floor((overAt - startedAt) / 1_000)),
      })),
    );
  }

  async #type(
    who: Who,
    session: Session,
    stdin: string,
    signal: AbortSignal,
  ): Promise<Outcome<undefined>> {
    if (session.live.exit() !== undefined) return { ok: true, value: undefined };
    const typed = parseKeys(stdin);
    const allowed = await this.#backend.mayType(who, session, typed, signal);
    if (!allowed.ok) return allowed;
    const problem = await session.live.type(typed, allowed.value);
    return problem === undefined ? { ok: true, value: undefined } : refusal(problem);
  }

  /** Types the first input of a started session; returns a failure as a note beside its output. */
  async #typeFirst(
    who: Who,
    session: Session,
    stdin: string,
    signal: AbortSignal,
  ): Promise<string[]> {
    await untilFirstOutput(session.live, signal);
    const typed = await this.#type(who, session, stdin, signal);
    return typed.ok ? [] : [`stdin was not typed: ${typed.error}`];
  }
}

function notFound(id: string): string {
  return `Terminal session ${id} not found; terminal_list lists the existing ones`;
}
