// Owns the one table of verbs by which scripts, packages and sub-commands say that they delete, publish,
// deploy, migrate or overwrite: what nobody takes back. Only names are read here, never what they do.

/** By where they say so. */
const VERBS = {
  /** In every program: `frob purge`, `db:drop`. */
  everywhere:
    "delete destroy drop purge wipe nuke teardown terminate erase unpublish obliterate".split(" "),
  /** Of a resource; a package manager's `remove` takes back an `add`. */
  resources: "remove rm".split(" "),
  /** In names of scripts and packages, and as the first word that a package's program is given. */
  packages:
    "publish deploy undeploy release submit migrate migration migrations rollback reset".split(" "),
  /** In names of scripts alone: `apply` and `push` mean too much elsewhere. */
  scripts: (
    "remove truncate cleanup prune unlink upload ship promote apply push flush restore revert undo eject " +
    "overwrite uninstall rollout revoke yank"
  ).split(" "),
  /** The same as the first word of a name: `clean:all`, and not `build:clean`. */
  beginning: "clean kill rm".split(" "),
};

const PACKAGE_VERBS: ReadonlySet<string> = new Set([...VERBS.everywhere, ...VERBS.packages]);
const SCRIPT_VERBS: ReadonlySet<string> = new Set([...PACKAGE_VERBS, ...VERBS.scripts]);

/** Alternatives for rows of tools that delete resources. */
export const RESOURCE_VERBS = [...VERBS.everywhere, ...VERBS.resources].join("|");

/** A word that can be a sub-command, so that the next one can be one, too. */
export const SUB_COMMAND = /^[a-z][\w:-]*$/i;
/** `tool group things delete` */
export const MAX_SUB_COMMANDS = 4;

const DESTROYS = new RegExp(
  `^(?:[\\w-]+[:.])*(?:${VERBS.everywhere.join("|")})(?:[:_-]\\w+)*$`,
  "i",
);

/** Whether a sub-command says so in any program: `delete`, `db:drop`, `purge-all`. */
export function isDestroyingVerb(word: string): boolean {
  return DESTROYS.test(word);
}

/** Whether the name of a package, or the first word its program is given, says so. */
export function isHardToUndo(name: string): boolean {
  return says(name, PACKAGE_VERBS);
}

/** Whether the name of a script, or what a project's own program is told, says so. */
export function isHardToUndoScript(name: string): boolean {
  return says(name, SCRIPT_VERBS);
}

/** Reads `db:reset`, `deploy-docs` and `dropDb` word by word; `killall-tests` and `undropped` say nothing. */
function says(name: string, verbs: ReadonlySet<string>): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => verbs.has(word)) || VERBS.beginning.includes(words[0] ?? "");
}

/** Tools that come as packages have short names: `kill-port`, `rmrf`, `@x/rimraf`. */
const PACKAGE = /(?:^|[@/_-])(?:rm|rmrf|rimraf|del|trash|fkill|kill|killport)(?:[/_-]|$)/i;

export function isHardToUndoPackage(name: string): boolean {
  return PACKAGE.test(name) || isHardToUndo(name.replace(/^@[^/]*\//, ""));
}
