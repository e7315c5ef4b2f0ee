// Owns the steps of the tool `bash`: check, start through the backend, wait for the end, crop,
// answer. A command that outlasts the answer continues as a session.

import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { BashFields, ToolAnswer } from "./tool-answers.ts";
import { toBashAnswer, toStillRunningAnswer, withNotes } from "./tool-answers.ts";
import type { BashArgs, ToolBackend } from "./tool-backend.ts";
import type { Session, SessionRegistry } from "./session-registry.ts";
import type { RunLike } from "./session-target.ts";
import { toRunTarget } from "./session-target.ts";
import { takeFromSession, takeNew, takeStreams } from "./session-output.ts";
import { waitForEnd } from "./tool-waits.ts";

/** A started command and the settings of its call, for the answer. */
interface Answering<Who> {
  readonly who: Who;
  readonly run: RunLike;
  readonly command: string;
  readonly timeoutSeconds: number;
  readonly cropOutput: number;
}

export class BashTool<Who> {
  readonly #backend: ToolBackend<Who>;
  readonly #registry: SessionRegistry;

  constructor(backend: ToolBackend<Who>, registry: SessionRegistry) {
    this.#backend = backend;
    this.#registry = registry;
  }

  async run(
    who: Who,
    args: BashArgs,
    signal: AbortSignal,
  ): Promise<Outcome<ToolAnswer<BashFields>>> {
    const beganAt = Date.now();
    const { command: line, cwd, env, isolation, stdin } = args;
    if (line.trim() === "") return refusal("The command is empty");
    const settings = this.#backend.settings(who);
    const { answerMs, cropOutput } = settings;
    const timeoutSeconds = args.timeoutSeconds ?? settings.timeoutSeconds;
    // A long timeout suggests that more input may follow.
    const staysOpen = answerMs !== undefined && (args.timeoutSeconds ?? 0) * 1_000 > answerMs;
    const input = stdin === undefined && !staysOpen ? undefined : { text: stdin ?? "", staysOpen };
    const started = await this.#backend.run(who, { line, cwd, env, isolation, input }, signal);
    if (!started.ok) return started;
    const run = started.value;
    run.endAfter(timeoutSeconds * 1_000);
    const end = await waitForEnd(
      run,
      answerMs === undefined ? undefined : beganAt + answerMs,
      signal,
    );
    if (end === "cancelled") {
      void run.end("stopped");
      return refusal("The call was cancelled, and its command ended");
    }
    // The answer says that everything was ended, so wait for it.
    if (run.life.state === "ended" && run.life.by !== undefined) await run.end(run.life.by);
    const answering = { who, run, command: line, timeoutSeconds, cropOutput };
    if (end === "late") return await this.#becomeSession(answering, beganAt);
    return await this.#answerEnded(answering);
  }

  async #becomeSession(
    answering: Answering<Who>,
    beganAt: number,
  ): Promise<Outcome<ToolAnswer<BashFields>>> {
    const { run, command, timeoutSeconds, cropOutput } = answering;
    const session = this.#openSession(answering);
    const taken = await takeFromSession(session, cropOutput);
    const answer = toStillRunningAnswer({
      id: session.id,
      command,
      output: taken.text,
      position: taken.position,
      ...(await takeStreams(run, session.id, cropOutput)),
      afterSeconds: Math.round((Date.now() - beganAt) / 1_000),
      timeoutSeconds,
    });
    return { ok: true, value: answer };
  }

  async #answerEnded(answering: Answering<Who>): Promise<Outcome<ToolAnswer<BashFields>>> {
    const { run, timeoutSeconds, cropOutput } = answering;
    const { life } = run;
    const exit = life.state === "ended" ? life.exit : { exitCode: null, signal: null };
    // Opens a session only if something is cut, to read the rest.
    const sessions: Session[] = [];
    const getId = () => {
      const session = this.#openSession(answering);
      session.markExitReported();
      sessions.push(session);
      return session.id;
    };
    const taken = await takeNew(toRunTarget(run), getId, 0, cropOutput);
    const [session] = sessions;
    session?.move(taken.position);
    const answer = toBashAnswer({
      exit,
      output: taken.text,
      ...(await takeStreams(run, session?.id, cropOutput)),
      id: session?.id,
      timedOutAfter: life.state === "ended" && life.by === "timeout" ? timeoutSeconds : undefined,
      leftovers: life.state === "ended" && life.by === undefined ? await run.countLeftovers() : 0,
    });
    const hints = exit.exitCode === 0 ? [] : (this.#backend.hints?.(run, taken.text) ?? []);
    return { ok: true, value: withNotes(answer, hints) };
  }

  #openSession({ who, run, command }: Answering<Who>): Session {
    const [owner, through] = [this.#backend.getOwner(who), this.#backend.getConnection(who)];
    const { startedAt } = run;
    return this.#registry.open({
      owner,
      command,
      target: toRunTarget(run),
      startedAt,
      connection: through,
    });
  }
}
