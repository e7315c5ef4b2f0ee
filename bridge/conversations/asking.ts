// Owns the approvals that a coding agent requests itself (`session/request_permission`). They are
// ordinary approvals, with a verdict if they name a command.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Isolation } from "../../protocol/isolation.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { Caller } from "../callers/caller.ts";
import { systemCode } from "../errors.ts";
import type { Judgement } from "../pipeline/verdicts.ts";
import type { Draft } from "../terminals/plan.ts";
import type { SaidCommand } from "./command.ts";
import { commandIn, commandWords } from "./command.ts";
import { diffOf } from "./diff.ts";
import { Failure } from "./failure.ts";
import type { PermissionOption } from "./options.ts";
import { optionFor } from "./options.ts";
import type { PermissionAnswer } from "./ports.ts";
import type { Spared } from "./spared.ts";
import type { ToolCall, ToolPatch } from "./updates.ts";

export interface AskingParts {
  readonly approvals: Pick<Approvals, "ask" | "onEvent">;
  readonly judge: (draft: Draft) => Judgement;
}

export interface PermissionWish {
  readonly caller: Caller;
  readonly label: string;
  readonly call: ToolCall;
  readonly patch: ToolPatch;
  readonly options: readonly PermissionOption[];
  /** The session's folder. */
  readonly cwd: string;
  readonly isolation: Isolation;
  readonly subject: string;
  readonly signal: AbortSignal;
  readonly spared: Spared;
  readonly onAsked: (approval: string) => void;
  readonly onSettled: (approval: string, outcome: "allowed" | "denied" | "withdrawn") => void;
}

export async function askPermission(
  { approvals, judge }: AskingParts,
  wish: PermissionWish,
): Promise<PermissionAnswer> {
  const { caller, label, call, patch, options, isolation, subject, signal, spared } = wish;
  if (optionFor("allowed", options) === undefined) {
    throw new Failure("invalid", "options: none of them allows it");
  }
  const said = commandIn(call.rawInput);
  const cwd = folderOf(said, wish.cwd);
  const judgement = judgementOf(judge, said, cwd, label);
  if (judgement.isAboutUs === true) return answerOf("denied", options);
  const diff = patch.content?.find((piece) => piece.type === "diff");
  let id: string | undefined;
  let outcome: string | undefined;
  let reason: string | undefined;
  const stop = approvals.onEvent((event) => {
    if (event.type === "approval:settled" && event.id === id) ({ outcome, reason } = event);
  });
  try {
    const answered = await approvals.ask({
      caller,
      kind: "permission",
      via: "session/request_permission",
      command: said === undefined ? (patch.title ?? call.toolCallId) : commandWords(said.command),
      ...(diff === undefined
        ? {}
        : { diff: diffOf(diff.path, diff.oldText ?? undefined, diff.newText).text }),
      cwd,
      judgement,
      isolation,
      // Unique, so that the answer covers this question alone.
      key: `permission ${subject}`,
      subject,
      waitsOn: true,
      signal,
      onAsked: (asked) => {
        id = asked;
        wish.onAsked(asked);
      },
    });
    if (id === undefined && !answered.ok) throw new Failure("refused", answered.error);
    const settled = settledAs(answered.ok, outcome);
    if (id !== undefined) wish.onSettled(id, settled);
    if (settled === "allowed" && said !== undefined) spared.allow(said.command, cwd);
    if (settled === "withdrawn") return "cancelled";
    const answer = answerOf(settled, options);
    return answer === "cancelled" || reason === undefined ? answer : { ...answer, reason };
  } finally {
    stop();
  }
}

function settledAs(isAllowed: boolean, outcome: string | undefined) {
  if (isAllowed) return "allowed";
  return outcome === "denied" || outcome === "expired" ? "denied" : "withdrawn";
}

function answerOf(
  answer: "allowed" | "denied",
  options: readonly PermissionOption[],
): PermissionAnswer {
  const option = optionFor(answer, options);
  return option === undefined ? "cancelled" : { option };
}

function judgementOf(
  judge: AskingParts["judge"],
  said: SaidCommand | undefined,
  cwd: string,
  label: string,
): Judgement {
  if (said === undefined) {
    return { verdict: "unknown", why: [`${label} asks before doing this itself`] };
  }
  const { line, command } = said.command;
  const words = line === undefined ? command : ["/bin/sh", "-c", line];
  return judge({ command: words, line, cwd, added: {} });
}

/** Resolves the folder as plans do, with symlinks. */
function folderOf(said: SaidCommand | undefined, cwd: string): string {
  const named = said?.cwd === undefined ? cwd : resolve(cwd, said.cwd);
  try {
    return realpathSync(named);
  } catch (error) {
    if (systemCode(error) !== undefined) return named;
    throw error;
  }
}
