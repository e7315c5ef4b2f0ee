// Checks the free space for state and logs.

import { statfsSync } from "node:fs";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { UnsavedChange } from "../../workspace/durable-file.ts";
import { formatUnsaved } from "../../workspace/durable-file.ts";
import type { Finding } from "../finding.ts";
import { fail, ok, warn } from "../finding.ts";

const MB = 1e6;
/** Keys and grants are small, but a file that does not fit is not written at all. */
const MIN_BYTES = 10 * MB;
/** Full logs of all parts, and the audit log. */
const ENOUGH_BYTES = 100 * MB;

export async function checkDisk({ folders, bridge }: DoctorFacts): Promise<Finding> {
  if (typeof folders === "string") return fail("there is no state folder to check", "See folders.");
  const [unsaved] = (await bridge)?.unsaved ?? [];
  if (unsaved !== undefined) return judgeUnsaved(unsaved);
  const { bavail, bsize } = statfsSync(folders.state);
  return judgeSpace(bavail * bsize);
}

/** Judges the free bytes. Pure. */
export function judgeSpace(free: number): Finding {
  const message = `${formatBytes(free)} free for state and logs`;
  const cure = "Free some space, or set XDG_STATE_HOME to another disk.";
  if (free < MIN_BYTES) return fail(message, cure);
  return free < ENOUGH_BYTES ? warn(message, cure) : ok(message);
}

/** Reports a change that is not on disk. Pure. */
export function judgeUnsaved(unsaved: UnsavedChange): Finding {
  return fail(
    `a change to ${unsaved.what} is not saved: ${formatUnsaved(unsaved)}`,
    "Free some space there: pairpty keeps trying. If it stops first, revoked access comes back.",
  );
}

function formatBytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.floor(bytes / MB)} MB`;
}
