// Owns whether an agent may type keys into its session: lines that a shell may read are judged and,
// if needed, approved like a command. The pending line is tracked in sessions/pending-line.ts, the
// reader found in sessions/shell-programs.ts.

import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Approvals } from "../approvals/approvals.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Caller } from "../callers/caller.ts";
import { toAuditName } from "../callers/caller.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { ClientElicitation } from "../pipeline/pipeline.ts";
import { blockedOutcome, WITHDRAWN } from "../pipeline/pipeline.ts";
import type { Consequence, InSandbox, Judgement } from "../pipeline/verdicts.ts";
import { decideConsequence } from "../pipeline/verdicts.ts";
import { isSurelyComplete, leavesNothingOpen } from "../policy/command-form.ts";
import type { Foreground } from "../processes/foreground.ts";
import type { Session } from "../sessions/session-registry.ts";
import type { InputReader } from "../sessions/shell-programs.ts";
import { findReader, findReadings, isAnythingSent } from "../sessions/shell-programs.ts";
import type { KeyInput } from "../sessions/named-keys.ts";
import type { TypingPermit } from "../sessions/session-target.ts";
import type { PendingLine, SentLine, TypedResult } from "../sessions/pending-line.ts";
import { endsLine, getInitialLine, typeKeys } from "../sessions/pending-line.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { resolveInRoots } from "./environment.ts";
import { formatUnknown, judgeReadings } from "./draft-judgement.ts";
import type { ConsentContext } from "./typing-consent.ts";
import { TypingConsents } from "./typing-consent.ts";

export interface TypingGateDeps {
  readonly approvals: Pick<Approvals, "request">;
  readonly audit: Pick<AuditLog, "write">;
  readonly judge: (line: string, cwd: string) => Judgement;
  readonly getForeground: (leader: number) => Foreground;
  readonly roots: readonly string[];
  readonly policyVersion: string;
  readonly inSandbox: InSandbox;
  /** Time after which a shell has certainly started on its line after Enter; 0 in tests. */
  readonly settleMs?: number;
}

/** The caller, and its client if that can show approvals. */
export interface AgentCall {
  readonly caller: Caller;
  readonly client?: ClientElicitation | undefined;
}

/** The session or terminal that is typed into, for any tool. */
export type TypingSubject = Pick<Session, "id" | "command">;

export interface TypingRequest {
  readonly call: AgentCall;
  readonly subject: TypingSubject;
  /** Name of the tool. */
  readonly via: string;
  /** Undefined for a command with pipes. */
  readonly terminal: PoolTerminal | undefined;
  readonly typed: readonly KeyInput[];
  readonly signal: AbortSignal;
}

const OUTSIDE = "it runs outside the shared folders";

/** Between Enter and the start of its command, a shell looks as if it waited at its prompt. */
const SETTLE_MS = 250;
/** Time for a shell to return to its prompt after a program exits. */
const PROMPT_MS = 500;
const POLL_MS = 20;

/** A terminal's state at one moment: what the keys would send now, and what stays pending. */
interface TypingSnapshot {
  readonly cwd: string;
  readonly typed: TypedResult;
  readonly reader: InputReader;
  /**
   * Whether the keys send a line that a shell may run, or go to a program that no person approved.
   */
  readonly isJudged: boolean;
  /** Why a person must allow typing into the foreground program; undefined if not needed. */
  readonly consentReason: string | undefined;
  readonly consent: ConsentContext;
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
export const SANDBOXED_PERMIT = { ok: true, value: NO_PERMIT_NEEDED } as const;

const GRAMMAR = { isSurelyComplete, leavesNothingOpen };

export class TypingGate {
  readonly #deps: TypingGateDeps;
  /** Keyed by terminal, shared by all agents and tools; for commands with pipes, by session. */
  readonly #lines = new WeakMap<PoolTerminal | TypingSubject, TerminalLine>();
  readonly #consents = new TypingConsents();

  constructor(deps: TypingGateDeps) {
    this.#deps = deps;
  }

  /** Judges the keys and requests an approval if needed. The permit binds it to what was seen. */
  async requestPermit(request: TypingRequest): Promise<Outcome<TypingPermit>> {
    const { terminal } = request;
    // In a sandbox only the start is judged.
    if ((terminal?.meta.isolation ?? "none") !== "none") return SANDBOXED_PERMIT;
    const look = await this.#takeSnapshotAtPrompt(request);
    const allowed = await this.#approve(request, look);
    if (!allowed.ok) return allowed;
    if (allowed.value === "asked") await this.#takeSnapshotAtPrompt(request);
    const isAsked = allowed.value === "asked";
    return { ok: true, value: { use: () => this.#use(request, look.key, isAsked) } };
  }

  async #approve(request: TypingRequest, look: TypingSnapshot): Promise<Outcome<"asked" | "safe">> {
    const { call, subject, terminal, via, signal } = request;
    const { caller, client } = call;
    if (!look.isJudged) return { ok: true, value: "safe" };
    const { cwd, key } = look;
    const command = look.shown;
    const judgement = this.#judge(look);
    const { verdict, why } = judgement;
    const args = { sessionId: subject.id, command, cwd };
    this.#deps.audit.write({
      event: "verdict",
      ...toAuditName(caller),
      arguments: args,
      verdict,
      why,
    });
    const consequence = this.#consequence(caller, judgement);
    if (consequence === "run") return { ok: true, value: "safe" };
    if (consequence === "refuse") return blockedOutcome(judgement);
    const answered = await this.#deps.approvals.request({
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
      client,
    });
    return answered.ok ? { ok: true, value: "asked" } : answered;
  }

  /**
   * Checks again, synchronously before the input: another program, folder, pending text or a
   * person's keys since then withdraw the permission.
   */
  #use(request: TypingRequest, key: string, isAsked: boolean): string | undefined {
    const { caller } = request.call;
    if (caller.grant() === undefined) return WITHDRAWN;
    const now = this.#takeSnapshot(request);
    const isSame = now.key === key;
    if (!isSame && now.isJudged && this.#consequence(caller, this.#judge(now)) !== "run") {
      return WITHDRAWN;
    }
    const { subject, terminal, typed } = request;
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
    const { inSandbox } = this.#deps;
    const lane = { lane: "session", isolation: "none" } as const;
    return decideConsequence(judgement, { ...lane, terms: caller.grant(), inSandbox });
  }

  #judge({ typed, unknown, cwd, consentReason, reader }: TypingSnapshot): Judgement {
    const consent = consentReason === undefined ? [] : [consentReason];
    // No shell reads it, so it is not judged as a shell line.
    if (reader === "other") return { verdict: "unknown", why: consent };
    const isOutside = !resolveInRoots(cwd, this.#deps.roots).ok;
    const notes = [
      ...consent,
      ...(unknown === undefined ? [] : [unknown]),
      ...(isOutside ? [OUTSIDE] : []),
    ];
    return judgeReadings(findReadings(typed, GRAMMAR), notes, (line) =>
      this.#deps.judge(line, cwd),
    );
  }

  /** Looks after the shell had time to start the last line, and to return from it. */
  async #takeSnapshotAtPrompt(request: TypingRequest): Promise<TypingSnapshot> {
    const { terminal, subject, signal } = request;
    const { settleMs = SETTLE_MS } = this.#deps;
    if (terminal === undefined || settleMs === 0) return this.#takeSnapshot(request);
    const settledAt = (this.#lines.get(terminal)?.enterAt ?? 0) + settleMs;
    const lastAt = Date.now() + PROMPT_MS;
    while (!signal.aborted) {
      const reader = findReader(this.#deps.getForeground(terminal.pid), subject.command);
      const now = Date.now();
      if (reader !== "prompt" && reader !== "busy") break;
      if (now >= settledAt && (reader === "prompt" || now >= lastAt)) break;
      await delay(POLL_MS);
    }
    return this.#takeSnapshot(request);
  }

  #takeSnapshot({ call: { caller }, subject, terminal, typed }: TypingRequest): TypingSnapshot {
    const foreground =
      terminal === undefined ? NO_TERMINAL : this.#deps.getForeground(terminal.pid);
    const reader = findReader(foreground, subject.command);
    const generation = terminal?.inputs ?? 0;
    const before = this.#lines.get(terminal ?? subject)?.line ?? getInitialLine(generation);
    const context = { reader, group: foreground.group, generation };
    const result = typeKeys(before, typed, context, GRAMMAR);
    const { sent, text, isCut, ahead, next } = result;
    const consent: ConsentContext = {
      grant: caller.grantId,
      owner: terminal ?? subject,
      terminal,
      command: subject.command,
      reader,
      foreground,
      typed,
      ahead,
    };
    const consentReason = this.#consents.findReason(consent);
    const pending = next.kind === "known" ? next.text : next.shown;
    const all = (result.shown + pending).replace(/\n$/, "");
    const shown = consentReason === undefined ? result.shown : all;
    const cwd = foreground.cwd ?? terminal?.meta.cwd ?? this.#deps.roots[0] ?? "/";
    const readers = foreground.front.map(({ path, argv }) => path || argv[0]);
    const keys = [isCut ? text : "", consentReason === undefined ? "" : shown];
    const seen = [subject.id, sent, keys, cwd, foreground.group, generation, readers];
    const key = createHash("sha256")
      .update(JSON.stringify([caller.grantId, ...seen, this.#deps.policyVersion]))
      .digest("hex");
    const line = sent.find(isUnknown);
    const unknown = line === undefined ? undefined : formatUnknown(line.why, reader, foreground);
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
function hasEnter(one: KeyInput): boolean {
  return endsLine(one.kind === "text" ? one.text : one.bytes);
}
