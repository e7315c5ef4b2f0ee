// Answers the running bridge's control requests about recordings: start, stop, list.

import type { Caller } from "../../callers/caller.ts";
import type { ControlAnswers, ControlRequest } from "../../doors/control/requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { Running } from "./answers.ts";

export async function record(
  caller: Caller,
  { id, on, out }: Extract<ControlRequest, { verb: "record" }>,
  { run }: Pick<Running, "run">,
): Promise<ControlAnswers["record"]> {
  const { people, recordings } = run.room;
  const terminal = people.find(caller, id);
  if (terminal === undefined) throw new UserError(`there is no terminal ${id}`, ExitCode.usage);
  const done = on
    ? await recordings.start(caller, terminal, out)
    : await recordings.stop(caller, terminal);
  if (!done.ok) throw new UserError(done.error, ExitCode.usage);
  return { path: done.path };
}

export function recordingRows({ run }: Pick<Running, "run">): ControlAnswers["recordings"] {
  const { recordings } = run.room;
  return recordings.list().map((row) => ({ ...row, path: recordings.find(row.id) ?? "" }));
}
