// Answers the running bridge's control requests about recordings: start, stop, list.

import type { Caller } from "../../callers/caller.ts";
import type { ControlAnswers, ControlRequest } from "../../doors/control/control-requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { RunningBridge } from "./control-answers.ts";

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
