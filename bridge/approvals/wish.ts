// Owns what a question is made of: from what an agent wants to what a person is told, with the
// answers that are offered and how long it stays open. Pure.

import type { Approval, ApprovalKind, ApprovalWord } from "../../protocol/approval.ts";
import type { Isolation } from "../../protocol/isolation.ts";
import type { Caller } from "../callers/caller.ts";
import { nameOf } from "../callers/caller.ts";
import type { AgentSide } from "../pipeline/pipeline.ts";
import type { Judgement } from "../pipeline/verdicts.ts";
import type { Footing } from "./footing.ts";
import { type Claim, toReasonDigest } from "./rules.ts";

/** How long a call is held for an answer: an MCP call answers within 50 s of its start. */
export const HOLD_MS = { unknown: 10_000, dangerous: 25_000 } as const;
/** How long a question about what is only unknown stays open. */
export const UNKNOWN_OPEN_MS = 10 * 60_000;

/** In one frame to a page; nobody reads more before saying yes. */
export const MOST_TOLD_BYTES = 96 * 1024;

export interface ApprovalWish {
  readonly caller: Caller;
  readonly kind: ApprovalKind;
  /** The tool or method. */
  readonly via: string;
  readonly command: string | readonly string[];
  readonly diff?: string | undefined;
  readonly cwd: string;
  readonly judgement: Judgement;
  readonly isolation: Isolation;
  /** What a lasting answer could stand on; without it none is offered. */
  readonly footing?: Footing | undefined;
  /** The digest of all that the answer is good for, the grant among it. */
  readonly key: string;
  /** The terminal that it is about, where it is about one that runs: its end withdraws it. */
  readonly subject?: string | undefined;
  /** Told which question waits for an answer, its own or an earlier one for the same. */
  readonly onAsked?: ((id: string) => void) | undefined;
  /** Until the question is settled, and not a call's few seconds. */
  readonly waitsOn?: boolean;
  /** Nobody waits for the call any more. */
  readonly signal?: AbortSignal | undefined;
  readonly side?: AgentSide | undefined;
}

/** In lanes where it is asked about, what is blocked counts as dangerous. */
export function weightOf({ verdict }: Judgement): keyof typeof HOLD_MS {
  return verdict === "dangerous" || verdict === "blocked" ? "dangerous" : "unknown";
}

/** What a rule would be about, or may have been made about before. */
export function claimOf(wish: ApprovalWish): Claim {
  const { caller, key, cwd, isolation, judgement, footing, subject } = wish;
  const { verdict, kinds } = judgement;
  const reasons = toReasonDigest(kinds);
  return { grant: caller.grantId, key, cwd, isolation, verdict, footing, reasons, subject };
}

export function approvalOf(id: string, wish: ApprovalWish, now: number): Approval {
  const { caller, judgement, command, diff } = wish;
  const grant = caller.grant();
  return {
    id,
    kind: wish.kind,
    agent: { grant: caller.grantId, label: grant === undefined ? "" : nameOf(grant) },
    via: wish.via,
    command: typeof command === "string" ? command : [...command],
    ...(diff === undefined ? {} : { diff }),
    cwd: wish.cwd,
    verdict: judgement.verdict,
    why: [...judgement.why],
    ...(judgement.notes !== undefined && { notes: [...judgement.notes] }),
    isolation: wish.isolation,
    ...offersFor(wish.footing),
    askedAt: now,
    expiresAt: weightOf(judgement) === "unknown" ? now + UNKNOWN_OPEN_MS : null,
  };
}

function offersFor(footing: Footing | undefined): Pick<Approval, "offers" | "rule"> {
  const offers: ApprovalWord[] = ["once"];
  if (footing !== undefined) offers.push("session");
  const prefix = footing?.prefix;
  if (prefix === undefined) return { offers: [...offers, "deny"] };
  const { name, verb, reach } = prefix;
  const rule = [name, verb, "…", ...reach].join(" ");
  return { offers: [...offers, "prefix", "deny"], rule };
}

export function isTooLong(approval: Approval): boolean {
  return Buffer.byteLength(JSON.stringify(approval)) > MOST_TOLD_BYTES;
}
