// Owns npm and npx. Seed 004 calls safe what they run by name; text that they hand to a shell, settings
// and addresses are not.

import { UNKNOWN } from "../marks.ts";
import { blockedBecause } from "../names.ts";
import { isOwnPackage, isOwnProgram } from "../own.ts";
import type { Rule, Run } from "../run.ts";
import { type OptionShape, type Options, has, readOptions, valuesFor } from "./options.ts";

const VERBS =
  "run run-script rum urn test t tst start stop restart install i in add ci ls list ll la view info show v outdated audit " +
  "help fund ping root prefix bin why explain search find dedupe ddp prune rebuild rb update up upgrade uninstall un remove " +
  "rm r pack doctor whoami diff query init";

const NPM_VERBS: ReadonlySet<string> = new Set(VERBS.split(" "));
/** Settings that name a program or a place with settings in it. */
const RISKY = [
  "script-shell",
  "node-options",
  "shell",
  "git",
  "editor",
  "viewer",
  "browser",
  "userconfig",
  "globalconfig",
  "init-module",
  "registry",
  "global",
  "g",
  "location",
  "ignore-scripts",
] as const;
const HARMLESS: ReadonlySet<string> = new Set(["ignore-scripts"]);

const NPM: OptionShape = {
  values: "wCc",
  flags: "*",
  long: [
    "prefix",
    "workspace",
    "loglevel",
    "call",
    "package",
    "tag",
    "omit",
    "include",
    ...RISKY.slice(0, 11),
  ],
  longFlags: [
    "global",
    "ignore-scripts",
    "workspaces",
    "silent",
    "yes",
    "save-dev",
    "legacy-peer-deps",
    "production",
    "version",
  ],
  mixed: true,
};
/** npx reads its own options only up to the package's name. */
const NPX: OptionShape = { ...NPM, values: "wpc", mixed: false };

/** An address instead of a name: nobody has vetted it. */
const ADDRESS = /^(?:[a-z+]+:|\.{0,2}\/|~|git@)|[^@]\/.*\/|^[^@/]+\/[^/]+$|\.tgz$/;

export function judgeSettings(options: Options, run: Run): void {
  for (const [name, value] of options.given) {
    if (!RISKY.some((risky) => risky === name) || HARMLESS.has(name)) continue;
    run.note("unknown", `--${name} changes what runs or where from`);
    if (value !== undefined) run.aside().shell(value);
  }
}

export const npm: Rule = (args, run) => {
  const cut = args.indexOf("--");
  const options = readOptions(cut < 0 ? args : args.slice(0, cut), NPM);
  judgeSettings(options, run);
  const [verb, ...rest] = options.operands;
  if (verb === undefined) return;
  if (verb === "exec" || verb === "x") return npx(afterVerb(args, verb), run, "npx");
  // Where no script has that name it is the program, with all that follows as its command.
  if (/^(?:run|run-script|rum|urn)$/.test(verb) && rest[0] === "env") {
    const behind = cut < 0 ? [] : args.slice(cut + 1);
    return run.aside().argv(["env", ...rest.slice(1), ...behind]);
  }
  if (verb === "explore") {
    run.note("unknown", "npm explore runs a command");
    return run.aside().shell(args.slice(cut < 0 ? args.length : cut + 1).join(" "));
  }
  if (verb === "config" && (rest[0] === "get" || rest[0] === "list" || rest[0] === "ls")) return;
  if (verb === "pkg" && rest[0] === "get") return;
  if (!NPM_VERBS.has(verb) || (verb === "init" && rest.length > 0)) {
    run.note("unknown", `npm ${verb} sets, publishes or runs something else`);
    for (const word of rest) run.aside().shell(word.slice(word.indexOf("=") + 1));
  }
  if (INSTALL.test(verb)) judgePackages([...rest, ...(cut < 0 ? [] : args.slice(cut + 1))], run);
};

/** With npm's own other spellings of it. */
const INSTALL =
  /^(?:i|in|ins|inst|insta|instal|install|isnt|isnta|isntal|isntall|add|it|install-test|link|ln)$/;

export function judgePackages(names: readonly string[], run: Run): void {
  for (const name of names) {
    if (isOwnPackage(name)) run.note("blocked", "pairpty itself");
    if (ADDRESS.test(name)) run.note("unknown", "installs from an address");
    if (name.includes(UNKNOWN)) run.note("unknown", "installs a package known only when it runs");
  }
}

export const npx: Rule = (args, run) => {
  const options = readOptions(args, NPX);
  judgeSettings(options, run);
  for (const text of valuesFor(options, "c", "call")) {
    run.note("unknown", "hands text to a shell");
    run.shell(text);
  }
  if (has(options, "p", "package")) run.note("unknown", "runs a program of another package");
  const [target, ...rest] = options.operands;
  if (target === undefined) return;
  if (blockedBecause(target) !== undefined) run.note("unknown", "runs a blocked name");
  if (isOwnProgram(target)) run.note("blocked", "pairpty itself");
  if (ADDRESS.test(target) || target.includes(UNKNOWN))
    run.note("unknown", "runs an address, not a name");
  // The seed calls npx safe whatever it runs; a known wrapper or a blocked name still counts.
  run.aside().argv([target.replace(/(?<=.)@[^/]*$/, ""), ...rest]);
};

/** The text after a verb, with its options in their place. */
function afterVerb(args: readonly string[], verb: string): readonly string[] {
  const at = args.indexOf(verb);
  return [
    ...args.slice(0, at).filter((word) => word.startsWith("--")),
    ...args.slice(at + 1),
  ].filter((word, index, all) => word !== "--" || index !== all.indexOf("--"));
}
