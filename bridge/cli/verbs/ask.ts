// Owns asking the bridge of this folder or of one above it, for every verb, and the error where none runs.

import { join } from "node:path";
import { ask } from "../../doors/control/client.ts";
import type { ControlAnswers, ControlRequest } from "../../doors/control/requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { WorkspaceFolders } from "../../workspace/folders.ts";
import { foldersWith, locateFolders } from "../../workspace/folders.ts";
import { formatUnsaved } from "../../workspace/durable-file.ts";
import { findRunningFolder } from "../flags/workspace-folder.ts";
import { warn } from "../output/output.ts";

export interface VerbFlags {
  readonly cwd?: string;
  readonly json?: boolean;
}

export async function askBridge<V extends ControlRequest["verb"]>(
  flags: VerbFlags,
  request: Extract<ControlRequest, { verb: V }>,
  timeoutMs?: number,
): Promise<ControlAnswers[V]> {
  const cwd = await findRunningFolder(flags);
  const folders = foldersWith("runtime", cwd);
  const answer = folders && (await ask(join(folders.runtime, "bridge.sock"), request, timeoutMs));
  if (answer !== undefined) return answer;
  throw await noBridge(locateFolders(cwd), folders !== undefined);
}

/** What a hint's command ends with where it gives somebody more: the code, if this bridge asks for it. */
export async function codeHint(flags: VerbFlags): Promise<"" | " --code"> {
  try {
    return (await askBridge(flags, { verb: "needs-code" })).needed ? " --code" : "";
  } catch (error) {
    // A bridge of the version before does not know the question; a code does no harm there.
    if (error instanceof UserError) return " --code";
    throw error;
  }
}

/** Warns, beside a list of who may do what, where the disk does not have the last change to it. */
export async function warnUnsaved(flags: VerbFlags): Promise<void> {
  const unsaved = await askBridge(flags, { verb: "unsaved" }).catch((error: unknown) => {
    // A bridge of the version before does not know the question.
    if (error instanceof UserError) return [];
    throw error;
  });
  for (const one of unsaved) {
    warn(
      `a change to ${one.what} is not saved yet: ${formatUnsaved(one)}. pairpty keeps trying: free some space there. If pairpty or the machine stops before that, it is undone at the next start`,
    );
  }
}

/** A bridge that crashed has left its terminals: whoever asks wants to know. */
export async function noBridge(folders: WorkspaceFolders, isKnown: boolean): Promise<UserError> {
  const what = `pairpty is not running in ${folders.folder}`;
  const { waitingTerminals } = await import("../../terminals/start-host.ts");
  const waiting = isKnown ? await waitingTerminals(folders) : [];
  if (waiting.length === 0) {
    const how = "Start it with `pairpty`, or name its folder with --cwd.";
    return new UserError(what, ExitCode.noBridge, how);
  }
  const [one, them, wait] =
    waiting.length === 1
      ? ["1 terminal", "it", "waits"]
      : [`${waiting.length} terminals`, "them", "wait"];
  return new UserError(
    `${what}, but ${one} of the last run ${wait}: ${waiting.join(", ")}`,
    ExitCode.noBridge,
    `Start \`pairpty\` in time to get ${them} back (see \`pairpty config explain grace\`); \`pairpty stop\` ends ${them}.`,
  );
}
