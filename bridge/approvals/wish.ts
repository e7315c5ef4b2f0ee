// Owns building an approval from an agent's request: what people see, which answers are offered,
// and how long it stays open. Pure.

import type { Approval, ApprovalKind, ApprovalWord } from "../../protocol/approval.ts";
import type { Isolation } from "../../protocol/isolation.ts";
import type { Caller } from "../callers/caller.ts";
import { nameOf } from "../callers/caller.ts";
import type { AgentSide } from "../pipeline/pipeline.ts";
import type { Judgement } from "../pipeline/verdicts.ts";
import type { Footing } from "./footing.ts";
import { type Claim, toReasonDigest } from "./rules.ts";

/** How long a call waits for an answer; an MCP call must return within 50 s. */
export const HOLD_MS = { unknown: 10_000, dangerous: 25_000 } as const;
/** How long an approval for an unknown command stays open. */
export const UNKNOWN_OPEN_MS = 10 * 60_000;

/** Fits one frame to a page; a person would not read more before allowing it. */
export const MOST_TOLD_BYTES = 96 * 1024;

export interface ApprovalWish {
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
  readonly footing?: Footing | undefined;
  /** Digest of all that the answer covers, including the grant. */
  readonly key: string;
  /** Id of the running terminal that the request is about; its exit withdraws the approval. */
  readonly subject?: string | undefined;
  /** Receives the id of the approval that the call waits for, maybe an earlier identical one. */
  readonly onAsked?: ((id: string) => void) | undefined;
  /** Waits until the approval is settled, instead of a few seconds. */
  readonly waitsOn?: boolean;
  /** Aborts when the client no longer waits for the call. */
  readonly signal?: AbortSignal | undefined;
  readonly side?: AgentSide | undefined;
}

/** Returns how grave a judgement is. `blocked` counts as dangerous in lanes that ask about it. */
export function weightOf({ verdict }: Judgement): keyof typeof HOLD_MS {
  return verdict === "dangerous" || verdict === "blocked" ? "dangerous" : "unknown";
}

/** Returns the call in the form that rules are compared with. */
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
