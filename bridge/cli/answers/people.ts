// Owns a running bridge's answers about people: who is here and who waits, letting in, rights.

import type { Caller } from "../../callers/caller.ts";
import type { ControlAnswers, ControlRequest, VisitorRow } from "../../doors/control/requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { Decision } from "../../people/hosting.ts";
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

/** Whom it was about; a decision that was not made is the user's mistake. */
export function decided(decision: Decision): string {
  if (decision.ok) return decision.called;
  // Who is meant was clear: another look at the list would not help.
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

export function setRights(
  caller: Caller,
  { who, role }: Extract<ControlRequest, { verb: "rights" }>,
  { run }: Pick<Running, "run">,
): ControlAnswers["rights"] {
  const { hosting } = run.room;
  const decision =
    role === "none" ? hosting.remove(caller, who) : hosting.setRole(caller, who, role);
  const called = decided(decision);
  const note = decision.ok ? decision.note : undefined;
  return { who: called, role, ...(note === undefined ? {} : { note }) };
}
