// Owns tools that come as packages and whose purpose is to delete, kill, publish or migrate: as
// dangerous as those in program-names.ts, whatever their arguments are. Tools that are dangerous
// only with some arguments are in irreversible/.

import { formatCode } from "../call-text.ts";
import type { Rule } from "../rule.ts";

/** Grouped by purpose: dangerous with any arguments. */
const PURPOSE: Readonly<Record<string, string>> = {
  "deletes files": "rimraf del-cli del trash trash-cli premove npkill",
  "ends processes": "fkill fkill-cli kill-port kill-port-process killport tree-kill",
  publishes: "np release-it semantic-release publish-please gh-pages surge bumpp",
  "migrates a database":
    "db-migrate node-pg-migrate migrate-mongo postgrator postgrator-cli dbmate graphile-migrate",
};

const alwaysDangerous =
  (name: string, why: string): Rule =>
  (_args, run) =>
    run.note("dangerous", `${formatCode(name)} ${why}`);

/** `shx rm x` */
const shx: Rule = (args, run) => run.judgeArgv(args);

export const TOOL_RULES: readonly [string, Rule][] = [
  ...Object.entries(PURPOSE).flatMap(([why, names]) =>
    names.split(" ").map((name): [string, Rule] => [name, alwaysDangerous(name, why)]),
  ),
  ["shx", shx],
];
