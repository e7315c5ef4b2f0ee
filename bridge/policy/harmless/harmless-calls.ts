// Owns the one table of harmless calls: for each program of the safe list that could write, run or load
// something, the calls that do not. A program of the list without a row only reads and prints.

import { formatCode } from "../rule.ts";
import { getProgramName } from "../program-names.ts";
import type { OwnFolders } from "../own-folders.ts";
import { BUILD_CALLS } from "./build-calls.ts";
import { ECOSYSTEM_CALLS } from "./ecosystem-calls.ts";
import { FILE_CALLS, QUIET_CALLS } from "./file-calls.ts";
import { GIT_CALLS } from "./git-calls.ts";
import { type Mismatch, findMismatch } from "./shape-matcher.ts";
import { NODE_CALLS, TSC_CALLS, VITEST_CALLS } from "./node-calls.ts";
import { PACKAGE_CALLS } from "./package-manager-calls.ts";
import { TEXT_CALLS } from "./text-calls.ts";
import type { HarmlessCall } from "./call-shape.ts";

const CALLS: ReadonlyMap<string, HarmlessCall> = new Map(
  Object.entries({
    ...FILE_CALLS,
    ...PACKAGE_CALLS,
    ...QUIET_CALLS,
    ...TEXT_CALLS,
    ...ECOSYSTEM_CALLS,
    ...BUILD_CALLS,
    git: GIT_CALLS,
    node: NODE_CALLS,
    tsc: TSC_CALLS,
    vitest: VITEST_CALLS,
  }),
);

/** Returns why this call of a program on the safe list is not safe, or undefined. */
export function findHarmlessMismatch(
  word: string,
  args: readonly string[],
  places: OwnFolders,
): Mismatch | undefined {
  const name = getProgramName(word);
  const call = CALLS.get(name);
  if (call === undefined) return undefined;
  const [first] = "length" in call ? call : [call];
  if (first?.dependsOnFolder === true && places.hasLeftFolder) {
    const why = `${formatCode(name)} in another folder runs what that folder configures`;
    return { why, kind: why, level: "unknown", isListed: true };
  }
  return findMismatch(name, args, call, (path) => places.leadsOut(path));
}
