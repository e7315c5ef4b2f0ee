// Checks the free space for state and logs.

import { statfsSync } from "node:fs";
import type { Facts } from "../facts.ts";
import type { Unsaved } from "../../workspace/durable-file.ts";
import { formatUnsaved } from "../../workspace/durable-file.ts";
import type { Finding } from "../finding.ts";
import { fail, ok, warn } from "../finding.ts";

const MB = 1e6;
/** Keys and grants are small, but a file is written whole or not at all. */
const LEAST = 10 * MB;
/** Full logs of all parts, and the audit log. */
const ENOUGH = 100 * MB;

export async function checkDisk({ folders, bridge }: Facts): Promise<Finding> {
  if (typeof folders === "string") return fail("there is no state folder to check", "See folders.");
  const [unsaved] = (await bridge)?.unsaved ?? [];
  if (unsaved !== undefined) return judgeUnsaved(unsaved);
  const { bavail, bsize } = statfsSync(folders.state);
  return judgeSpace(bavail * bsize);
}

/** Judges the free bytes. Pure. */
export function judgeSpace(free: number): Finding {
  const words = `${shown(free)} free for state and logs`;
  const cure = "Free some space, or set XDG_STATE_HOME to another disk.";
  if (free < LEAST) return fail(words, cure);
  return free < ENOUGH ? warn(words, cure) : ok(words);
}

/** Reports a change that is not on disk. Pure. */
export function judgeUnsaved(unsaved: Unsaved): Finding {
  return fail(
    `a change to ${unsaved.what} is not saved: ${formatUnsaved(unsaved)}`,
    "Free some space there: pairpty keeps trying. If it stops first, revoked access comes back.",
  );
}

function shown(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.floor(bytes / MB)} MB`;
}
