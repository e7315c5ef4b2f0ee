// Owns building an approval from an agent's request: what people see, which answers are offered,
// and how long it stays open. Pure.

import type { Approval, ApprovalKind, ApprovalWord } from "../../protocol/approval.ts";
import type { Isolation } from "../../protocol/isolation.ts";
import { linkName } from "../../protocol/names.ts";
import type { Caller } from "../callers/caller.ts";
import type { ClientElicitation } from "../pipeline/pipeline.ts";
import type { Judgement } from "../pipeline/verdicts.ts";
import type { ApprovalBasis } from "./approval-basis.ts";
import { type Claim, toReasonDigest } from "./approval-rules.ts";

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
    ...(diff === undefined ? {} : { diff }),
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
