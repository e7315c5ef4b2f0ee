// Owns the approvals that a coding agent requests itself (`session/request_permission`). They are
// ordinary approvals, with a verdict if they name a command. Also owns mapping a person's answer to
// one of the agent's options. Pure. An agent's "allow always" creates no rule here, and an allow is
// sent as "once" where that is offered.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod/mini";
import type { Isolation } from "../../protocol/isolation.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { Caller } from "../callers/caller.ts";
import { findSystemCode } from "../errors.ts";
import { withDefault } from "../lenient-schemas.ts";
import type { Judgement } from "../pipeline/verdicts.ts";
import type { PlanDraft } from "../terminals/spawn-plan.ts";
import type { NamedCommand, AllowedCommands } from "./agent-command.ts";
import { findCommand, formatCommand } from "./agent-command.ts";
import type { PermissionAnswer } from "./agent-ports.ts";
import { Failure } from "./agent-ports.ts";
import { formatDiff } from "./content-format.ts";
import type { ToolCall, ToolPatch } from "./tool-call.ts";

export interface PermissionDeps {
  readonly approvals: Pick<Approvals, "request" | "onEvent">;
  readonly judge: (draft: PlanDraft) => Judgement;
}

export interface PermissionRequest {
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
  readonly allowedCommands: AllowedCommands;
  readonly onPending: (approval: string) => void;
  readonly onSettled: (approval: string, outcome: "allowed" | "denied" | "withdrawn") => void;
}

export async function requestPermission(
  { approvals, judge }: PermissionDeps,
  request: PermissionRequest,
): Promise<PermissionAnswer> {
  const { caller, label, call, patch, options, isolation, subject, signal, allowedCommands } =
    request;
  if (findOption("allowed", options) === undefined) {
    throw new Failure("invalid", "options: none of them allows it");
  }
  const namedCommand = findCommand(call.rawInput);
  const cwd = resolveFolder(namedCommand, request.cwd);
  const judgement = judgeRequest(judge, namedCommand, cwd, label);
  if (judgement.isAboutUs === true) return toPermissionAnswer("denied", options);
  const diff = patch.content?.find((piece) => piece.type === "diff");
  let id: string | undefined;
  let outcome: string | undefined;
  let reason: string | undefined;
  const stop = approvals.onEvent((event) => {
    if (event.type === "approval:settled" && event.id === id) ({ outcome, reason } = event);
  });
  try {
    const answered = await approvals.request({
      caller,
      kind: "permission",
      via: "session/request_permission",
      command:
        namedCommand === undefined
          ? (patch.title ?? call.toolCallId)
          : formatCommand(namedCommand.command),
      ...(diff === undefined
        ? {}
        : { diff: formatDiff(diff.path, diff.oldText ?? undefined, diff.newText).text }),
      cwd,
      judgement,
      isolation,
      // Unique, so that the answer covers this question alone.
      key: `permission ${subject}`,
      subject,
      waitsUntilSettled: true,
      signal,
      onPending: (asked) => {
        id = asked;
        request.onPending(asked);
      },
    });
    if (id === undefined && !answered.ok) throw new Failure("refused", answered.error);
    const settled = toOutcome(answered.ok, outcome);
    if (id !== undefined) request.onSettled(id, settled);
    if (settled === "allowed" && namedCommand !== undefined)
      allowedCommands.allow(namedCommand.command, cwd);
    if (settled === "withdrawn") return "cancelled";
    const answer = toPermissionAnswer(settled, options);
    return answer === "cancelled" || reason === undefined ? answer : { ...answer, reason };
  } finally {
    stop();
  }
}

function toOutcome(isAllowed: boolean, outcome: string | undefined) {
  if (isAllowed) return "allowed";
  return outcome === "denied" || outcome === "expired" ? "denied" : "withdrawn";
}

function toPermissionAnswer(
  answer: "allowed" | "denied",
  options: readonly PermissionOption[],
): PermissionAnswer {
  const option = findOption(answer, options);
  return option === undefined ? "cancelled" : { option };
}

function judgeRequest(
  judge: PermissionDeps["judge"],
  namedCommand: NamedCommand | undefined,
  cwd: string,
  label: string,
): Judgement {
  if (namedCommand === undefined) {
    return { verdict: "unknown", why: [`${label} asks before doing this itself`] };
  }
  const { line, command } = namedCommand.command;
  const words = line === undefined ? command : ["/bin/sh", "-c", line];
  return judge({ command: words, line, cwd, added: {} });
}

/** Resolves the folder as plans do, with symlinks. */
function resolveFolder(namedCommand: NamedCommand | undefined, cwd: string): string {
  const named = namedCommand?.cwd === undefined ? cwd : resolve(cwd, namedCommand.cwd);
  try {
    return realpathSync(named);
  } catch (error) {
    if (findSystemCode(error) !== undefined) return named;
    throw error;
  }
}

export const PermissionOption = z.looseObject({
  optionId: z.string().check(z.maxLength(1_024)),
  name: withDefault(z.string(), ""),
  kind: z.string(),
});
export type PermissionOption = z.infer<typeof PermissionOption>;

const PREFERRED = {
  allowed: ["allow_once", "allow_always"],
  denied: ["reject_once", "reject_always"],
} as const;

/** Returns the option's id; undefined if the agent offers none of that kind. */
export function findOption(
  answer: keyof typeof PREFERRED,
  options: readonly PermissionOption[],
): string | undefined {
  for (const kind of PREFERRED[answer]) {
    const option = options.find((one) => one.kind === kind);
    if (option !== undefined) return option.optionId;
  }
  return undefined;
}
