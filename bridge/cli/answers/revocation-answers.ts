// Answers requests that narrow access: each takes effect before the answer, and is reported as done
// only when a crash would not undo it [G13].

import type { ControlAnswers } from "../../doors/control/control-requests.ts";
import { confirmHostCopy } from "../../run/host-copy.ts";
import type { BridgeRun } from "../../run/bridge-run.ts";
import { formatStop } from "../start/stop-texts.ts";
import { awaitSaved, throwUnsaved } from "../../workspace/durable-file.ts";

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
