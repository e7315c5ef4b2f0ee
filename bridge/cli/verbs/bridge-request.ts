// Sends control requests to the bridge of this folder or of one above it, and builds the error if none
// runs.

import { join } from "node:path";
import { requestBridge } from "../../doors/control/control-client.ts";
import type { ControlAnswers, ControlRequest } from "../../doors/control/control-requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { WorkspaceFolders } from "../../workspace/folders.ts";
import { findExistingFolders, locateFolders } from "../../workspace/folders.ts";
import { formatUnsaved } from "../../workspace/durable-file.ts";
import { findRunningFolder } from "../flags/workspace-folder.ts";
import { printWarning } from "../output/output.ts";

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
  const folders = findExistingFolders("runtime", cwd);
  const answer =
    folders && (await requestBridge(join(folders.runtime, "bridge.sock"), request, timeoutMs));
  if (answer !== undefined) return answer;
  throw await createNoBridgeError(locateFolders(cwd), folders !== undefined);
}

/**
 * Returns " --code" if this bridge requires the code for commands that widen access, for use in hints.
 */
export async function getCodeHint(flags: VerbFlags): Promise<"" | " --code"> {
  try {
    return (await askBridge(flags, { verb: "needs-code" })).needed ? " --code" : "";
  } catch (error) {
    // An older bridge does not know the request; a code does no harm there.
    if (error instanceof UserError) return " --code";
    throw error;
  }
}

/** Warns beside a list of access if its last change is not on disk yet. */
export async function warnUnsaved(flags: VerbFlags): Promise<void> {
  const unsaved = await askBridge(flags, { verb: "unsaved" }).catch((error: unknown) => {
    // An older bridge does not know the request.
    if (error instanceof UserError) return [];
    throw error;
  });
  for (const one of unsaved) {
    printWarning(
      `a change to ${one.what} is not saved yet: ${formatUnsaved(one)}. pairpty keeps trying: free some space there. If pairpty or the machine stops first, the change is undone at the next start`,
    );
  }
}

/** Returns the error for a folder without a bridge; lists terminals that a crashed one left. */
export async function createNoBridgeError(
  folders: WorkspaceFolders,
  isKnown: boolean,
): Promise<UserError> {
  const what = `pairpty is not running in ${folders.folder}`;
  const { listWaitingTerminals } = await import("../../terminals/start-host.ts");
  const waiting = isKnown ? await listWaitingTerminals(folders) : [];
  if (waiting.length === 0) {
    const how = "Start it with `pairpty`, or name its folder with --cwd.";
    return new UserError(what, ExitCode.noBridge, how);
  }
  const [one, them, are] =
    waiting.length === 1
      ? ["1 terminal", "it", "is"]
      : [`${waiting.length} terminals`, "them", "are"];
  return new UserError(
    `${what}, but ${one} from the last run ${are} still alive: ${waiting.join(", ")}`,
    ExitCode.noBridge,
    `Run \`pairpty\` to reattach ${them} (by default within 10 minutes of the stop), or \`pairpty stop\` to end ${them}.`,
  );
}
