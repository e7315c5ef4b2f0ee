// Owns the one table of verbs in the names of scripts, packages and sub-commands that mean deleting,
// publishing, deploying, migrating or overwriting: hard to undo. Reads only names, never what they run.

/** Grouped by where they count. */
const VERBS = {
  /** Count in every program: `frob purge`, `db:drop`. */
  everywhere:
    "delete destroy drop purge wipe nuke teardown terminate erase unpublish obliterate".split(" "),
  /** Count for resources; a package manager's `remove` only undoes an `add`. */
  resources: "remove rm".split(" "),
  /** Count in names of scripts and packages, and as the first argument of a package's program. */
  packages:
    "publish deploy undeploy release submit migrate migration migrations rollback reset".split(" "),
  /** Count only in names of scripts: `apply` and `push` mean too much elsewhere. */
  scripts: (
    "remove truncate cleanup prune unlink upload ship promote apply push flush restore revert undo eject " +
    "overwrite uninstall rollout revoke yank"
  ).split(" "),
  /** Count as the first word of a script's name: `clean:all`, but not `build:clean`. */
  beginning: "clean kill rm".split(" "),
};

const PACKAGE_VERBS: ReadonlySet<string> = new Set([...VERBS.everywhere, ...VERBS.packages]);
const SCRIPT_VERBS: ReadonlySet<string> = new Set([...PACKAGE_VERBS, ...VERBS.scripts]);

/** Alternatives for table rows of tools that delete resources. */
export const RESOURCE_VERBS = [...VERBS.everywhere, ...VERBS.resources].join("|");

/** A word that can be a sub-command, so that the next word can be one, too. */
export const SUB_COMMAND = /^[a-z][\w:-]*$/i;
/** `tool group things delete` */
export const MAX_SUB_COMMANDS = 4;

const DESTROYING_VERB = new RegExp(
  `^(?:[\\w-]+[:.])*(?:${VERBS.everywhere.join("|")})(?:[:_-]\\w+)*$`,
  "i",
);

/** Whether a sub-command is destructive in any program: `delete`, `db:drop`, `purge-all`. */
export function isDestroyingVerb(word: string): boolean {
  return DESTROYING_VERB.test(word);
}

/** Whether the name of a package, or the first argument of its program, is hard to undo. */
export function isHardToUndo(name: string): boolean {
  return hasVerb(name, PACKAGE_VERBS);
}

/** Whether the name of a script, or a sub-command of the project's own program, is hard to undo. */
export function isHardToUndoScript(name: string): boolean {
  return hasVerb(name, SCRIPT_VERBS);
}

/** Whether a word of the name is such a verb: in `db:reset` and `dropDb`, not in `undropped`. */
function hasVerb(name: string, verbs: ReadonlySet<string>): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => verbs.has(word)) || VERBS.beginning.includes(words[0] ?? "");
}

/** Short names of tools that come as packages: `kill-port`, `rmrf`, `@x/rimraf`. */
const DESTRUCTIVE_PACKAGE =
  /(?:^|[@/_-])(?:rm|rmrf|rimraf|del|trash|fkill|kill|killport)(?:[/_-]|$)/i;

export function isHardToUndoPackage(name: string): boolean {
  return DESTRUCTIVE_PACKAGE.test(name) || isHardToUndo(name.replace(/^@[^/]*\//, ""));
}
