// Answers the running bridge's control requests about people: the list, admission, rights.

import type { Caller } from "../../callers/caller.ts";
import type { ControlAnswers, ControlRequest, VisitorRow } from "../../doors/control/requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { Decision } from "../../people/hosting.ts";
import { awaitSaved, throwUnsaved } from "../../workspace/durable-file.ts";
import type { Running } from "./answers.ts";

export function peopleRows({ run }: Pick<Running, "run">): VisitorRow[] {
  const { visitors, hosting } = run.room;
  return [
    ...visitors.people().map((person) => ({ ...person, state: "here" as const })),
    ...visitors.knocks().map((knock) => ({ ...knock, state: "waiting" as const })),
    ...hosting.away().map(({ id, called, at }) => ({
      id,
      state: "away" as const,
      label: called,
      role: null,
      since: at,
    })),
  ];
}

/** Returns the person's display name; throws a user error if the decision was refused. */
export function decided(decision: Decision): string {
  if (decision.ok) return decision.called;
  if (decision.notSaved !== undefined) throw decision.notSaved;
  // The person was identified, so the list would not help.
  const hint =
    decision.code === "forbidden"
      ? "`pairpty share --role edit` makes an Edit link."
      : "`pairpty people` lists who is here and who waits.";
  throw new UserError(decision.error, ExitCode.usage, hint);
}

export function admitted(decision: Decision): ControlAnswers["admit"] {
  const called = decided(decision);
  const isPardoned = decision.ok && decision.isPardoned === true;
  return { admitted: called, ...(isPardoned ? { mayCome: true } : {}) };
}

export function checkRights(
  caller: Caller,
  { who, role }: Extract<ControlRequest, { verb: "rights" }>,
  { run }: Pick<Running, "run">,
): void {
  const refusal = role === "none" ? undefined : run.room.hosting.whyNeverRole(caller, who, role);
  if (refusal !== undefined) decided(refusal);
}

export async function turnAway(
  caller: Caller,
  { who }: Extract<ControlRequest, { verb: "turn-away" }>,
  { run }: Pick<Running, "run">,
): Promise<ControlAnswers["turn-away"]> {
  const turnedAway = decided(run.room.hosting.turnAway(caller, who));
  await checkSaved(`Turned ${turnedAway} away`, run);
  return { turnedAway };
}

const TAKEN: Readonly<Record<"none" | "view", (who: string) => string>> = {
  none: (who) => `Removed ${who}`,
  view: (who) => `${who} can watch but not type`,
};

async function checkSaved(done: string, run: Running["run"]): Promise<void> {
  throwUnsaved(done, await awaitSaved([run.room.durable.people, run.grants.file]));
}

export async function setRights(
  caller: Caller,
  { who, role }: Extract<ControlRequest, { verb: "rights" }>,
  { run }: Pick<Running, "run">,
): Promise<ControlAnswers["rights"]> {
  const { hosting } = run.room;
  const decision =
    role === "none" ? hosting.remove(caller, who) : hosting.setRole(caller, who, role);
  const called = decided(decision);
  const note = decision.ok ? decision.note : undefined;
  if (role !== "edit") await checkSaved(note ?? TAKEN[role](called), run);
  return { who: called, role, ...(note === undefined ? {} : { note }) };
}
