// Owns whether an agent may type keys into its session: lines that a shell may read are judged and,
// if needed, approved like a command. The pending line is tracked in sessions/pending-line.ts, the
// reader found in sessions/input-reader.ts.

import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Approvals } from "../approvals/approvals.ts";
import type { AuditLog } from "../audit/log.ts";
import type { Caller } from "../callers/caller.ts";
import { who } from "../callers/caller.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { AgentSide } from "../pipeline/pipeline.ts";
import { blocked, WITHDRAWN } from "../pipeline/pipeline.ts";
import type { Consequence, InSandbox, Judgement } from "../pipeline/verdicts.ts";
import { consequenceOf } from "../pipeline/verdicts.ts";
import { isSurelyComplete, opensNothing } from "../policy/completeness.ts";
import type { Foreground } from "../processes/foreground.ts";
import type { Session } from "../sessions/book.ts";
import type { InputReader } from "../sessions/input-reader.ts";
import { findReader } from "../sessions/input-reader.ts";
import type { Typed } from "../sessions/keys.ts";
import { findReadings, isAnythingSent } from "../sessions/line-readings.ts";
import type { TypingPermit } from "../sessions/live.ts";
import type { PendingLine, SentLine, TypedResult } from "../sessions/pending-line.ts";
import { endsLine, firstLine, typeKeys } from "../sessions/pending-line.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { placeInRoots } from "./roots.ts";
import { formatUnknown, judgeReadings } from "./typed-lines.ts";
import type { ConsentLook } from "./typing-consent.ts";
import { TypingConsents } from "./typing-consent.ts";

export interface TypingParts {
  readonly approvals: Pick<Approvals, "ask">;
  readonly audit: Pick<AuditLog, "write">;
  readonly judge: (line: string, cwd: string) => Judgement;
  readonly foregroundOf: (leader: number) => Foreground;
  readonly roots: readonly string[];
  readonly policyVersion: string;
  readonly inSandbox: InSandbox;
  /** Time after which a shell has certainly started on its line after Enter; 0 in tests. */
  readonly settleMs?: number;
}

/** The caller, and its client if that can show approvals. */
export interface AgentCall {
  readonly caller: Caller;
  readonly side?: AgentSide | undefined;
}

/** The session or terminal that is typed into, for any tool. */
export type Subject = Pick<Session, "id" | "command">;

export interface TypingWish {
  readonly call: AgentCall;
  readonly subject: Subject;
  /** Name of the tool. */
  readonly via: string;
  /** Undefined for a command with pipes. */
  readonly terminal: PoolTerminal | undefined;
  readonly typed: readonly Typed[];
  readonly signal: AbortSignal;
}

const OUTSIDE = "it runs outside the shared folders";

/** Between Enter and the start of its command, a shell looks as if it waited at its prompt. */
const SETTLE_MS = 250;
/** Time for a shell to return to its prompt after a program exits. */
const PROMPT_MS = 500;
const LOOK_MS = 20;

/** A terminal's state at one moment: what the keys would send now, and what stays pending. */
interface Look {
  readonly cwd: string;
  readonly typed: TypedResult;
  readonly reader: InputReader;
  /**
   * Whether the keys send a line that a shell may run, or go to a program that no person approved.
   */
  readonly isJudged: boolean;
  /** Why a person must allow typing into the foreground program; undefined if not needed. */
  readonly consentReason: string | undefined;
  readonly consent: ConsentLook;
  /** The text that people see. */
  readonly shown: string;
  /** Why it is unknown what would run; undefined if it is known. */
  readonly unknown: string | undefined;
  /** Digest of everything that an answer covers. */
  readonly key: string;
}

/** The pending line, and when Enter was last typed. */
interface TerminalLine {
  readonly line: PendingLine;
  readonly enterAt: number;
}

const NO_PERMIT_NEEDED: TypingPermit = { use: () => undefined };
/** Result for sandboxed terminals, whose start was judged. */
export const UNJUDGED = { ok: true, value: NO_PERMIT_NEEDED } as const;

const GRAMMAR = { isSurelyComplete, opensNothing };

export class Typing {
  readonly #parts: TypingParts;
  /** By terminal, shared by all agents and tools; by session for commands with pipes. */
  readonly #lines = new WeakMap<PoolTerminal | Subject, TerminalLine>();
  readonly #consents = new TypingConsents();

  constructor(parts: TypingParts) {
    this.#parts = parts;
  }

  /** Judges the keys and requests an approval if needed. The permit binds it to what was seen. */
  async mayType(wish: TypingWish): Promise<Outcome<TypingPermit>> {
    const { terminal } = wish;
    // In a sandbox only the start is judged.
    if ((terminal?.meta.isolation ?? "none") !== "none") return UNJUDGED;
    const look = await this.#lookAtPrompt(wish);
    const allowed = await this.#allowed(wish, look);
    if (!allowed.ok) return allowed;
    if (allowed.value === "asked") await this.#lookAtPrompt(wish);
    const isAsked = allowed.value === "asked";
    return { ok: true, value: { use: () => this.#use(wish, look.key, isAsked) } };
  }

  async #allowed(wish: TypingWish, look: Look): Promise<Outcome<"asked" | "safe">> {
    const { call, subject, terminal, via, signal } = wish;
    const { caller, side } = call;
    if (!look.isJudged) return { ok: true, value: "safe" };
    const { cwd, key } = look;
    const command = look.shown;
    const judgement = this.#judge(look);
    const { verdict, why } = judgement;
    const args = { sessionId: subject.id, command, cwd };
    this.#parts.audit.write({ event: "verdict", ...who(caller), arguments: args, verdict, why });
    const consequence = this.#consequence(caller, judgement);
    if (consequence === "run") return { ok: true, value: "safe" };
    if (consequence === "refuse") return blocked(judgement);
    const answered = await this.#parts.approvals.ask({
      caller,
      kind: "input",
      via,
      command,
      cwd,
      judgement,
      isolation: "none",
      key,
      subject: terminal?.id,
      signal,
      side,
    });
    return answered.ok ? { ok: true, value: "asked" } : refusal(answered.error);
  }

  /**
   * Checks again, synchronously before the input: another program, folder, pending text or a
   * person's keys since then withdraw the permission.
   */
  #use(wish: TypingWish, key: string, isAsked: boolean): string | undefined {
    const { caller } = wish.call;
    if (caller.grant() === undefined) return WITHDRAWN;
    const now = this.#look(wish);
    const isSame = now.key === key;
    if (!isSame && now.isJudged && this.#consequence(caller, this.#judge(now)) !== "run") {
      return WITHDRAWN;
    }
    const { subject, terminal, typed } = wish;
    // The input that follows increments the terminal's count.
    const { next } = now.typed;
    const line = { ...next, generation: next.generation + (terminal === undefined ? 0 : 1) };
    const before = this.#lines.get(terminal ?? subject)?.enterAt ?? 0;
    const enterAt = typed.some(hasEnter) ? Date.now() : before;
    this.#lines.set(terminal ?? subject, { line, enterAt });
    const sendsLine = isAnythingSent(now.typed.sent);
    this.#consents.record(now.consent, { isAsked: isAsked && isSame, sendsLine });
    return undefined;
  }

  #consequence(caller: Caller, judgement: Judgement): Consequence {
    const { inSandbox } = this.#parts;
    const lane = { lane: "session", isolation: "none" } as const;
    return consequenceOf(judgement, { ...lane, terms: caller.grant(), inSandbox });
  }

  #judge({ typed, unknown, cwd, consentReason, reader }: Look): Judgement {
    const consent = consentReason === undefined ? [] : [consentReason];
    // No shell reads it, so it is not judged as a shell line.
    if (reader === "other") return { verdict: "unknown", why: consent };
    const isOutside = !placeInRoots(cwd, this.#parts.roots).ok;
    const notes = [
      ...consent,
      ...(unknown === undefined ? [] : [unknown]),
      ...(isOutside ? [OUTSIDE] : []),
    ];
    return judgeReadings(findReadings(typed, GRAMMAR), notes, (line) =>
      this.#parts.judge(line, cwd),
    );
  }

  /** Looks after the shell had time to start the last line, and to return from it. */
  async #lookAtPrompt(wish: TypingWish): Promise<Look> {
    const { terminal, subject, signal } = wish;
    const { settleMs = SETTLE_MS } = this.#parts;
    if (terminal === undefined || settleMs === 0) return this.#look(wish);
    const settledAt = (this.#lines.get(terminal)?.enterAt ?? 0) + settleMs;
    const lastAt = Date.now() + PROMPT_MS;
    while (!signal.aborted) {
      const reader = findReader(this.#parts.foregroundOf(terminal.pid), subject.command);
      const now = Date.now();
      if (reader !== "prompt" && reader !== "busy") break;
      if (now >= settledAt && (reader === "prompt" || now >= lastAt)) break;
      await delay(LOOK_MS);
    }
    return this.#look(wish);
  }

  #look({ call: { caller }, subject, terminal, typed }: TypingWish): Look {
    const around = terminal === undefined ? NO_TERMINAL : this.#parts.foregroundOf(terminal.pid);
    const reader = findReader(around, subject.command);
    const generation = terminal?.inputs ?? 0;
    const before = this.#lines.get(terminal ?? subject)?.line ?? firstLine(generation);
    const context = { reader, group: around.group, generation };
    const result = typeKeys(before, typed, context, GRAMMAR);
    const { sent, text, isCut, ahead, next } = result;
    const consent: ConsentLook = {
      grant: caller.grantId,
      owner: terminal ?? subject,
      terminal,
      command: subject.command,
      reader,
      around,
      typed,
      ahead,
    };
    const consentReason = this.#consents.findReason(consent);
    const pending = next.kind === "known" ? next.text : next.shown;
    const all = (result.shown + pending).replace(/\n$/, "");
    const shown = consentReason === undefined ? result.shown : all;
    const cwd = around.cwd ?? terminal?.meta.cwd ?? this.#parts.roots[0] ?? "/";
    const readers = around.front.map(({ path, argv }) => path || argv[0]);
    const keys = [isCut ? text : "", consentReason === undefined ? "" : shown];
    const seen = [subject.id, sent, keys, cwd, around.group, generation, readers];
    const key = createHash("sha256")
      .update(JSON.stringify([caller.grantId, ...seen, this.#parts.policyVersion]))
      .digest("hex");
    const line = sent.find(isUnknown);
    const unknown = line === undefined ? undefined : formatUnknown(line.why, reader, around);
    const isJudged = consentReason !== undefined || (reader !== "other" && isAnythingSent(sent));
    return {
      cwd,
      typed: result,
      reader,
      isJudged,
      consentReason,
      consent,
      shown,
      unknown,
      key,
    };
  }
}

/** Stands in for commands with pipes, which have no foreground; their line is judged instead. */
const NO_TERMINAL: Foreground = {
  group: undefined,
  front: [{ pid: 0, path: "", argv: ["-"], isWaiting: false }],
  behind: [],
  cwd: undefined,
};

function isUnknown(line: SentLine): line is SentLine & { readonly kind: "unknown" } {
  return line.kind === "unknown";
}

/** Whether it ends a line, after which a shell may start a command. */
function hasEnter(one: Typed): boolean {
  return endsLine(one.kind === "text" ? one.text : one.bytes);
}
