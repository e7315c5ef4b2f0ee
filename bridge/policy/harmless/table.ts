// Owns the one table of harmless calls: for each program of the safe list that could write, run or load
// something, the calls that do not. A program of the list without a row only reads and prints.

import { formatCode } from "../call-text.ts";
import { programName } from "../names.ts";
import type { OwnFolders } from "../own.ts";
import { ECOSYSTEM_CALLS } from "./ecosystems.ts";
import { FILE_CALLS } from "./files.ts";
import { GIT } from "./git.ts";
import { type Misfit, misfit } from "./match.ts";
import { NODE, TSC, VITEST } from "./node.ts";
import { PACKAGE_CALLS } from "./packages.ts";
import { QUIET_CALLS } from "./quiet.ts";
import type { Call } from "./shape.ts";

const CALLS: ReadonlyMap<string, Call> = new Map(
  Object.entries({
    ...FILE_CALLS,
    ...PACKAGE_CALLS,
    ...QUIET_CALLS,
    ...ECOSYSTEM_CALLS,
    git: GIT,
    node: NODE,
    tsc: TSC,
    vitest: VITEST,
  }),
);

/** Returns why this call of a program on the safe list is not safe, or undefined. */
export function notHarmless(
  word: string,
  args: readonly string[],
  places: OwnFolders,
): Misfit | undefined {
  const name = programName(word);
  const call = CALLS.get(name);
  if (call === undefined) return undefined;
  const [first] = "length" in call ? call : [call];
  if (first?.here === true && places.isElsewhere) {
    const why = `${formatCode(name)} in another folder runs what that folder configures`;
    return { why, kind: why, level: "unknown", isListed: true };
  }
  return misfit(name, args, call, (path) => places.leadsOut(path));
}
