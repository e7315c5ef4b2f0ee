// Owns building an approval from an agent's request: its id, what people see, which answers are
// offered, and how long it stays open; and what is reported about it: audit lines, texts for
// agents, and the record of settled approvals. Does not decide anything.

import { randomInt } from "node:crypto";
import { compact } from "../../protocol/compact.ts";
import type {
  Approval,
  ApprovalKind,
  ApprovalWord,
  ApprovalSettled,
  ApprovalBy,
} from "../../protocol/approval.ts";
import { splitReasons } from "../../protocol/approval.ts";
import type { Isolation } from "../../protocol/isolation.ts";
import { linkName } from "../../protocol/names.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Caller } from "../callers/caller.ts";
import type { ApprovalResult, ClientElicitation } from "../pipeline/pipeline.ts";
import type { Judgement } from "../pipeline/verdicts.ts";
import type { ApprovalBasis } from "./approval-basis.ts";
import type { CallOutcome } from "./approval-machine.ts";
import { MAX_OPEN_PER_GRANT } from "./approval-machine.ts";
import type { Claim, Rule } from "./approval-rules.ts";
import { toReasonDigest } from "./approval-rules.ts";

/** How long a call waits for an answer; an MCP call must return within 50 s. */
export const HOLD_MS = { unknown: 10_000, dangerous: 25_000 } as const;
/** How long an approval for an unknown command stays open. */
export const UNKNOWN_OPEN_MS = 10 * 60_000;

/** Fits one frame to a page; a person would not read more before allowing it. */
export const MAX_APPROVAL_BYTES = 96 * 1024;

export interface ApprovalRequest {
  readonly caller: Caller;
  readonly kind: ApprovalKind;
  /** Name of the tool or method. */
  readonly via: string;
  readonly command: string | readonly string[];
  readonly diff?: string | undefined;
  readonly cwd: string;
  readonly judgement: Judgement;
  readonly isolation: Isolation;
  /** The programs a lasting answer depends on; undefined: only `once` and `deny` are offered. */
  readonly basis?: ApprovalBasis | undefined;
  /** Digest of all that the answer covers, including the grant. */
  readonly key: string;
  /** Id of the running terminal that the request is about; its exit withdraws the approval. */
  readonly subject?: string | undefined;
  /** Receives the id of the approval that the call waits for, maybe an earlier identical one. */
  readonly onPending?: ((id: string) => void) | undefined;
  /** Waits until the approval is settled, instead of a few seconds. */
  readonly waitsUntilSettled?: boolean;
  /** Aborts when the client no longer waits for the call. */
  readonly signal?: AbortSignal | undefined;
  readonly client?: ClientElicitation | undefined;
}

/** Returns how grave a judgement is. `blocked` counts as dangerous in lanes that ask about it. */
export function getSeverity({ verdict }: Judgement): keyof typeof HOLD_MS {
  return verdict === "dangerous" || verdict === "blocked" ? "dangerous" : "unknown";
}

/** Returns the call in the form that rules are compared with. */
export function toClaim(request: ApprovalRequest): Claim {
  const { caller, key, cwd, isolation, judgement, basis, subject } = request;
  const { verdict, kinds } = judgement;
  const reasons = toReasonDigest(kinds);
  return { grant: caller.grantId, key, cwd, isolation, verdict, basis, reasons, subject };
}

export function toApproval(id: string, request: ApprovalRequest, now: number): Approval {
  const { caller, judgement, command, diff } = request;
  const grant = caller.grant();
  return {
    id,
    kind: request.kind,
    agent: { grant: caller.grantId, label: grant === undefined ? "" : linkName(grant) },
    via: request.via,
    command: typeof command === "string" ? command : [...command],
    ...compact({ diff }),
    cwd: request.cwd,
    verdict: judgement.verdict,
    why: [...judgement.why],
    ...(judgement.notes !== undefined && { notes: [...judgement.notes] }),
    isolation: request.isolation,
    ...getOffers(request.basis),
    askedAt: now,
    expiresAt: getSeverity(judgement) === "unknown" ? now + UNKNOWN_OPEN_MS : null,
  };
}

function getOffers(basis: ApprovalBasis | undefined): Pick<Approval, "offers" | "rule"> {
  const offers: ApprovalWord[] = ["once"];
  if (basis !== undefined) offers.push("session");
  const prefix = basis?.prefix;
  if (prefix === undefined) return { offers: [...offers, "deny"] };
  const { name, verb, reach } = prefix;
  const rule = [name, verb, "…", ...reach].join(" ");
  return { offers: [...offers, "prefix", "deny"], rule };
}

export function isTooLong(approval: Approval): boolean {
  return Buffer.byteLength(JSON.stringify(approval)) > MAX_APPROVAL_BYTES;
}

/** Excludes letters and digits that look alike. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const LENGTH = 6;

export function newApprovalId(): string {
  let id = "";
  for (let i = 0; i < LENGTH; i++) id += ALPHABET[randomInt(ALPHABET.length)];
  return id;
}

// Owns the audit lines about approvals and rules. Also owns the texts for agents about approvals:
// why one was needed, its outcome, and what to do next. And the record of settled approvals: a
// person who answers too late learns who answered first, or how it ended.

export class ApprovalAudit {
  readonly #audit: Pick<AuditLog, "write">;

  constructor(audit: Pick<AuditLog, "write">) {
    this.#audit = audit;
  }

  writeRequest(what: "asked" | "used" | "lapsed", approval: Approval): void {
    this.#write(what, approval, {});
  }

  /** Records the outcome, the answer, and who answered at which door. */
  writeSettled(approval: Approval, { outcome, by, answer, reason }: ApprovalSettled): void {
    const outcomeText = [answer, reason].filter((word) => word !== undefined).join(": ");
    this.#write(outcome, approval, by === undefined ? {} : { by }, outcomeText);
  }

  writeRule(what: "made" | "used" | "ended", { id, kind, grant, label, allows, cwd }: Rule): void {
    this.#audit.write({
      event: `approval rule ${what}`,
      grant,
      label,
      arguments: { rule: id, kind, allows, cwd },
    });
  }

  #write(what: string, approval: Approval, more: object, outcome = ""): void {
    const { id, agent, via, command, cwd, verdict, why } = approval;
    this.#audit.write({
      event: `approval ${what}`,
      grant: agent.grant,
      label: agent.label,
      tool: via,
      arguments: { approval: id, command, cwd, ...more },
      verdict,
      why,
      ...(outcome === "" ? {} : { outcome }),
    });
  }
}

const WHY_CHARS = 300;

export interface Reasons {
  readonly why: readonly string[];
  readonly notes?: readonly string[] | undefined;
}

/** Formats the gravest reason in parentheses; the others are a field of their own [Q106]. */
function formatGravest(reasons: Reasons): string {
  const { gravest, notes } = splitReasons(reasons);
  const shown = gravest ?? notes[0] ?? "";
  return shown === "" ? "" : ` (${shown.slice(0, WHY_CHARS)})`;
}

/** Returns how each of these texts begins. */
function formatNeedsApproval(reasons: Reasons): string {
  return `Command needs approval${formatGravest(reasons)}`;
}

/** Reason recorded when an unknown command runs without an answer. */
export const ALLOWED_BY_TIMEOUT = "no answer within 10 s";

/** Formats the error for a command that is too long to show. */
export function formatTooLong(reasons: Reasons): string {
  return `${formatNeedsApproval(reasons)}, but is too long to show to a person. Save it to a file in the workspace and run that.`;
}

/** Formats the error when no surface is attended. */
export function formatUnattended(reasons: Reasons): string {
  return `${formatNeedsApproval(reasons)}, but no one is available to approve it. Ask the user to open the workspace's page with an Edit link, or to check the terminal where pairpty runs; then make the same call again.`;
}

/** Formats the error for a call whose wait is over while its approval stays open. */
export function formatStillOpen(reasons: Reasons, id: string): string {
  return `${formatNeedsApproval(reasons)}. No answer yet: approval ${id} is open; make the same call again.`;
}

export function formatRelease(
  reasons: Reasons,
  release: Exclude<CallOutcome, { outcome: "allowed" }>,
): string {
  switch (release.outcome) {
    case "denied": {
      const { reason } = release;
      return reason === undefined || reason === ""
        ? `A person denied this${formatGravest(reasons)}. Do not try it another way; ask what they want instead.`
        : `A person denied this: ${reason}`;
    }
    case "expired":
      return `${formatNeedsApproval(reasons)}. No one answered, and approval ${release.id} has expired; make the same call to ask again.`;
    case "withdrawn":
      return `${formatNeedsApproval(reasons)}. Approval ${release.id} was withdrawn: its terminal, this token or pairpty itself has ended.`;
    case "tooMany":
      return `${formatNeedsApproval(reasons)}. ${MAX_OPEN_PER_GRANT} approvals of this token are already open; try again when a person has answered one of them.`;
  }
}

/** Enough for late answers; older ones get "no open approval". */
const MAX_REMEMBERED = 100;

export class SettledApprovals {
  readonly #recent = new Map<string, ApprovalSettled>();

  add(settled: ApprovalSettled): void {
    this.#recent.set(settled.id, settled);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MAX_REMEMBERED && oldest !== undefined) this.#recent.delete(oldest);
  }

  /** Returns whose answer counted. */
  findAnswerer(id: string): ApprovalBy | undefined {
    return this.#recent.get(id)?.by;
  }

  closedReason(id: string): string {
    const settled = this.#recent.get(id);
    if (settled === undefined) return `There is no open approval ${id}`;
    const { outcome, by } = settled;
    if (by !== undefined) return `Approval ${id} was already ${outcome} by ${by.name ?? by.label}`;
    return outcome === "allowed"
      ? `Approval ${id} was already allowed: no one answered in time`
      : `Approval ${id} is ${outcome}`;
  }
}

/** Returns the refusal with the reasons that its text leaves out. */
export function toRefused(reasons: Reasons, error: string): ApprovalResult {
  const { more } = splitReasons(reasons);
  return { ok: false, error, ...(more.length > 0 && { moreReasons: more }) };
}
