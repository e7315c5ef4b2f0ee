// Owns a running bridge's answers to what takes something away: each holds before it is answered, and
// is called done when a crash would not undo it [G13].

import type { ControlAnswers } from "../../doors/control/requests.ts";
import { hostCopy } from "../../run/host-copy.ts";
import type { BridgeRun } from "../../run/run.ts";
import { endedBy } from "../start/ended-words.ts";
import { awaitSaved, throwUnsaved } from "../../workspace/durable-file.ts";

export async function revoke(id: string, run: BridgeRun): Promise<ControlAnswers["revoke"]> {
  const revoked = run.grants.revoke(id);
  if (!revoked) return { revoked };
  const unsaved = await awaitSaved([run.grants.file, hostCopy(run.pool)]);
  throwUnsaved(`revoked ${id} and closed its connections`, unsaved);
  return { revoked };
}

export async function endRule(id: string, run: BridgeRun): Promise<ControlAnswers["endRule"]> {
  const ended = run.room.approvals.endRule(id);
  if (ended) {
    throwUnsaved(`ended ${id}: the agent asks again`, await awaitSaved([run.room.durable.rules]));
  }
  return { ended };
}

/** Throws where the pty host does not confirm that it keeps the terminal's mark for the next bridge. */
export async function checkHostKnows(done: string, run: BridgeRun): Promise<void> {
  throwUnsaved(done, await awaitSaved([hostCopy(run.pool)]));
}

export async function stop(run: BridgeRun): Promise<ControlAnswers["stop"]> {
  const unsaved = await awaitSaved(run.durable);
  const ended = endedBy(run);
  run.endsBy("stop");
  // As a signal would, once this has been answered.
  setImmediate(() => process.kill(process.pid, "SIGTERM"));
  return { stopping: true, ended, ...(unsaved.length === 0 ? {} : { unsaved }) };
}
