// Answers the running bridge's control requests about people: the list, admission, rights. Answers
// requests that narrow access: each takes effect before the answer, and is reported as done only
// when a crash would not undo it [G13]. Answers the running bridge's control requests about
// recordings: start, stop, list.

import type { Caller } from "../../callers/caller.ts";
import type {
  ControlAnswers,
  ControlRequest,
  VisitorRow,
} from "../../doors/control/control-requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { ModerationResult } from "../../people/moderation-result.ts";
import type { BridgeRun } from "../../run/bridge-run.ts";
import { confirmHostCopy } from "../../run/host-state.ts";
import { awaitSaved, throwUnsaved } from "../../workspace/durable-file.ts";
import { formatStop } from "../start/stop-texts.ts";
import type { RunningBridge } from "./control-answers.ts";
import { compact } from "../../../protocol/compact.ts";

export function listPeople({ run }: Pick<RunningBridge, "run">): VisitorRow[] {
  const { visitors, moderation } = run.room;
  return [
    ...visitors.listPeople().map((person) => ({ ...person, state: "here" as const })),
    ...visitors.listKnocks().map((knock) => ({ ...knock, state: "waiting" as const })),
    ...moderation.listRemoved().map(({ id, called: displayName, at }) => ({
      id,
      state: "away" as const,
      label: displayName,
      role: null,
      since: at,
    })),
  ];
}

/** Returns the person's display name; throws a user error if the decision was refused. */
export function unwrapDecision(decision: ModerationResult): string {
  if (decision.ok) return decision.personName;
  if (decision.notSaved !== undefined) throw decision.notSaved;
  // The person was identified, so the list would not help.
  const hint =
    decision.code === "forbidden"
      ? "`pairpty share --role edit` makes an Edit link."
      : "`pairpty people` lists who is here and who waits.";
  throw new UserError(decision.error, ExitCode.usage, hint);
}

export function toAdmitAnswer(decision: ModerationResult): ControlAnswers["admit"] {
  const displayName = unwrapDecision(decision);
  const isPardoned = decision.ok && decision.isRemovalLifted === true;
  return { admitted: displayName, ...(isPardoned ? { mayCome: true } : {}) };
}

export function assertRightsPossible(
  caller: Caller,
  { who, role }: Extract<ControlRequest, { verb: "rights" }>,
  { run }: Pick<RunningBridge, "run">,
): void {
  const refusal =
    role === "none" ? undefined : run.room.moderation.findPermanentRoleRefusal(caller, who, role);
  if (refusal !== undefined) unwrapDecision(refusal);
}

export async function turnAway(
  caller: Caller,
  { who }: Extract<ControlRequest, { verb: "turn-away" }>,
  { run }: Pick<RunningBridge, "run">,
): Promise<ControlAnswers["turn-away"]> {
  const turnedAway = unwrapDecision(run.room.moderation.turnAway(caller, who));
  await assertSaved(`Turned ${turnedAway} away`, run);
  // Only links that knock make anyone wait.
  return { turnedAway, knocks: true };
}

const NARROWED_TEXTS: Readonly<Record<"none" | "view", (who: string) => string>> = {
  none: (who) => `Removed ${who}`,
  view: (who) => `${who} can watch but not type`,
};

async function assertSaved(done: string, run: RunningBridge["run"]): Promise<void> {
  throwUnsaved(done, await awaitSaved([run.room.durable.people, run.grants.file]));
}

export async function setRights(
  caller: Caller,
  { who, role }: Extract<ControlRequest, { verb: "rights" }>,
  { run }: Pick<RunningBridge, "run">,
): Promise<ControlAnswers["rights"]> {
  const { moderation } = run.room;
  const decision =
    role === "none" ? moderation.remove(caller, who) : moderation.setRole(caller, who, role);
  const displayName = unwrapDecision(decision);
  const note = decision.ok ? decision.note : undefined;
  if (role !== "edit") await assertSaved(note ?? NARROWED_TEXTS[role](displayName), run);
  const knocks = decision.ok ? decision.knocks : undefined;
  return { who: displayName, role, ...compact({ note, knocks }) };
}

export async function revoke(id: string, run: BridgeRun): Promise<ControlAnswers["revoke"]> {
  const revoked = run.grants.revoke(id);
  if (!revoked) return { revoked };
  const unsaved = await awaitSaved([run.grants.file, confirmHostCopy(run.pool)]);
  throwUnsaved(`Revoked ${id} and closed its connections`, unsaved);
  return { revoked };
}

export async function endRule(id: string, run: BridgeRun): Promise<ControlAnswers["endRule"]> {
  const ended = run.room.approvals.endRule(id);
  if (ended) {
    throwUnsaved(
      `Ended rule ${id}: the agent needs approval again`,
      await awaitSaved([run.room.durable.rules]),
    );
  }
  return { ended };
}

/**
 * Throws if the pty host does not confirm that it stored the terminal's metadata for the next bridge.
 */
export async function assertHostCopySaved(done: string, run: BridgeRun): Promise<void> {
  throwUnsaved(done, await awaitSaved([confirmHostCopy(run.pool)]));
}

export async function stop(run: BridgeRun): Promise<ControlAnswers["stop"]> {
  const unsaved = await awaitSaved(run.durable);
  const ended = formatStop(run);
  run.setEndedBy("stop");
  // Same path as a signal, after this answer was sent.
  setImmediate(() => process.kill(process.pid, "SIGTERM"));
  return { stopping: true, ended, ...(unsaved.length === 0 ? {} : { unsaved }) };
}

export async function record(
  caller: Caller,
  { id, on, out }: Extract<ControlRequest, { verb: "record" }>,
  { run }: Pick<RunningBridge, "run">,
): Promise<ControlAnswers["record"]> {
  const { people, recordings } = run.room;
  const terminal = people.find(caller, id);
  if (terminal === undefined) throw new UserError(`there is no terminal ${id}`, ExitCode.usage);
  const result = on
    ? await recordings.start(caller, terminal, out)
    : await recordings.stop(caller, terminal);
  if (!result.ok) throw new UserError(result.error, ExitCode.usage);
  return { path: result.path };
}

export function listRecordings({ run }: Pick<RunningBridge, "run">): ControlAnswers["recordings"] {
  const { recordings } = run.room;
  return recordings.list().map((row) => ({ ...row, path: recordings.find(row.id) ?? "" }));
}
