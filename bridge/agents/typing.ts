// Owns whether an agent may type what it wants to into its session: lines that reach a shell are
// judged and, where that is needed, asked about like a command; what other programs read is not.

import { createHash } from "node:crypto";
import type { Approvals } from "../approvals/approvals.ts";
import type { AuditLog } from "../audit/log.ts";
import type { Caller } from "../callers/caller.ts";
import { who } from "../callers/caller.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { AgentSide } from "../pipeline/pipeline.ts";
import { blocked, WITHDRAWN } from "../pipeline/pipeline.ts";
import type { InSandbox, Judgement } from "../pipeline/verdicts.ts";
import { consequenceOf } from "../pipeline/verdicts.ts";
import type { Foreground } from "../processes/foreground.ts";
import type { Session } from "../sessions/book.ts";
import type { Typed } from "../sessions/keys.ts";
import type { Pending } from "../sessions/typing.ts";
import { isJudged, linesOf, NOTHING_PENDING, readerOf } from "../sessions/typing.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { placeInRoots } from "./roots.ts";

export interface TypingParts {
  readonly approvals: Pick<Approvals, "ask">;
  readonly audit: Pick<AuditLog, "write">;
  readonly judge: (line: string, cwd: string) => Judgement;
  readonly foregroundOf: (leader: number) => Foreground;
  readonly roots: readonly string[];
  readonly policyVersion: string;
  readonly inSandbox: InSandbox;
}

/** Who asks, and where its own side can be asked. */
export interface AgentCall {
  readonly caller: Caller;
  readonly side?: AgentSide | undefined;
}

/** What is typed into, whichever tool types: what was begun there is known by it. */
export type Subject = Pick<Session, "id" | "command">;

export interface TypingWish {
  readonly call: AgentCall;
  readonly subject: Subject;
  /** The tool. */
  readonly via: string;
  /** Undefined for a command by pipes. */
  readonly terminal: PoolTerminal | undefined;
  readonly typed: readonly Typed[];
  readonly signal: AbortSignal;
}

const EDITED = "keys edit the line, so the policy cannot know what runs";
const OUTSIDE = "it runs outside the folders that the user shares";

/** What is typed, who reads it, and where. */
interface Look {
  readonly sent: string;
  readonly cwd: string;
  readonly judgement: Judgement;
  readonly key: string;
}

export class Typing {
  readonly #parts: TypingParts;
  readonly #pending = new WeakMap<Subject, Pending>();

  constructor(parts: TypingParts) {
    this.#parts = parts;
  }

  async mayType(wish: TypingWish): Promise<Outcome<undefined>> {
    const { subject, terminal, typed } = wish;
    // Behind a wall its start was judged, and the wall is there.
    if ((terminal?.meta.isolation ?? "none") !== "none") return ALLOWED;
    // Anew each time: another call may put text before this one while somebody thinks about it.
    const lines = () => linesOf(typed, this.#pending.get(subject) ?? NOTHING_PENDING);
    const look = () => {
      const { sent = "", isEdited } = lines();
      return this.#look(wish, sent, isEdited);
    };
    const allowed = await this.#allowed(wish, look);
    if (allowed.ok) this.#pending.set(subject, lines().pending);
    return allowed;
  }

  async #allowed(
    { call: { caller, side }, subject, terminal, via, signal }: TypingWish,
    look: () => Look | undefined,
  ): Promise<Outcome<undefined>> {
    const before = look();
    if (before === undefined) return ALLOWED;
    const { sent, cwd, judgement, key } = before;
    const { verdict, why } = judgement;
    const args = { sessionId: subject.id, command: sent, cwd };
    this.#parts.audit.write({ event: "verdict", ...who(caller), arguments: args, verdict, why });
    const { inSandbox } = this.#parts;
    const lane = { lane: "session", isolation: "none" } as const;
    const consequence = consequenceOf(judgement, { ...lane, terms: caller.grant(), inSandbox });
    if (consequence === "run") return ALLOWED;
    if (consequence === "refuse") return blocked(judgement);
    const answered = await this.#parts.approvals.ask({
      caller,
      kind: "input",
      via,
      command: sent,
      cwd,
      judgement,
      isolation: "none",
      key,
      subject: terminal?.id,
      signal,
      side,
    });
    if (!answered.ok) return refusal(answered.error);
    // Anything may have happened while somebody thought about it: another program, another folder.
    return caller.grant() !== undefined && look()?.key === key ? ALLOWED : refusal(WITHDRAWN);
  }

  /** Undefined when nobody has to judge it. */
  #look(
    { call: { caller }, subject, terminal }: TypingWish,
    sent: string,
    isEdited: boolean,
  ): Look | undefined {
    const around = terminal === undefined ? NO_TERMINAL : this.#parts.foregroundOf(terminal.pid);
    const reader = terminal === undefined ? pipeReader(subject) : readerOf(around, subject.command);
    if (!isJudged(sent, reader) && !(isEdited && reader === "commands")) return undefined;
    const cwd = around.cwd ?? terminal?.meta.cwd ?? this.#parts.roots[0] ?? "/";
    const notes = [
      ...(isEdited ? [EDITED] : []),
      ...(placeInRoots(cwd, this.#parts.roots).ok ? [] : [OUTSIDE]),
    ];
    const judgement = atLeastUnknown(this.#parts.judge(sent, cwd), notes);
    const readers = around.front.map(({ path }) => path);
    const whole = [caller.grantId, subject.id, sent, isEdited, cwd, readers];
    const key = createHash("sha256")
      .update(JSON.stringify([...whole, this.#parts.policyVersion]))
      .digest("hex");
    return { sent, cwd, judgement, key };
  }
}

const ALLOWED = { ok: true, value: undefined } as const;
const NO_TERMINAL: Foreground = { front: [], behind: [], cwd: undefined };

/** A command by pipes has no foreground: what it may start is told by its line. */
function pipeReader({ command }: Subject) {
  return readerOf(
    { front: [{ pid: 0, path: "", argv: ["-"] }], behind: [], cwd: undefined },
    command,
  );
}

function atLeastUnknown(judgement: Judgement, notes: readonly string[]): Judgement {
  if (notes.length === 0) return judgement;
  const verdict = judgement.verdict === "safe" ? "unknown" : judgement.verdict;
  return { ...judgement, verdict, why: [...judgement.why, ...notes] };
}
