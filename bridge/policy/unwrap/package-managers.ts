// Owns npm, npx, yarn, bun and similar programs where they run a program or text from their
// arguments. Their harmless calls are in harmless/package-manager-calls.ts; this looks for anything
// worse than unknown. Also owns tools that come as packages and whose purpose is to delete, kill,
// publish or migrate: as dangerous as those in program-names.ts, whatever their arguments are. And
// calls that change a registry, and packages whose name or first argument means something hard to
// undo. Tools that are known by name are in package-managers.ts.

import { isHardToUndo, isHardToUndoPackage } from "../destructive-verbs.ts";
import { isListedTool } from "../irreversible/judge-irreversible.ts";
import { isOwnPackage, isOwnProgram } from "../own-folders.ts";
import { findBlockedReason, isSafeName, takesNamesAsData } from "../program-names.ts";
import type { Rule, Run } from "../rule.ts";
import { registerRule, formatCode } from "../rule.ts";
import type { OptionShape, Options } from "./getopt.ts";
import { readOptions, valuesFor } from "./getopt.ts";
import { judgeStdin } from "./shell-programs.ts";

/** Settings whose value is a program. */
const PROGRAMS = ["script-shell", "node-options", "shell", "git", "editor", "viewer", "browser"];

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
    "userconfig",
    "globalconfig",
    "init-module",
    "registry",
    ...PROGRAMS,
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
  mixesOperands: true,
};
/** npx reads its own options only up to the name of the package. */
const NPX: OptionShape = {
  ...NPM,
  values: "wpc",
  longFlags: [...(NPM.longFlags ?? []), "no", "no-install", "quiet", "bun", "verbose", "offline"],
  mixesOperands: false,
};

function judgeSettings(options: Options, run: Run): void {
  for (const value of valuesFor(options, ...PROGRAMS)) run.asPossible().judgeShellText(value);
}

const npm: Rule = (args, run) => {
  const cut = args.indexOf("--");
  const options = readOptions(cut < 0 ? args : args.slice(0, cut), NPM);
  judgeSettings(options, run);
  const behind = cut < 0 ? [] : args.slice(cut + 1);
  const [verb, ...rest] = options.operands;
  if (verb === undefined) return;
  if (verb === "exec" || verb === "x") return npx(afterVerb(args, verb), run, "npx");
  // Without a script of that name, `env` is the program, and the rest is its command.
  if (/^(?:run|run-script|rum|urn)$/.test(verb) && rest[0] === "env")
    return run.asPossible().judgeArgv(["env", ...rest.slice(1), ...behind]);
  if (verb === "explore") return run.asPossible().judgeShellText(behind.join(" "));
  if (INSTALL.test(verb)) return judgeInstalledPackages([...rest, ...behind], run);
  judgeRegistry(verb, [...rest, ...behind, ...args.filter((word) => word.startsWith("-"))], run);
  if (SETS.test(verb))
    for (const word of rest) run.asPossible().judgeShellText(word.slice(word.indexOf("=") + 1));
};

/** `install` with npm's aliases and accepted misspellings. */
const INSTALL =
  /^(?:i|in|ins|inst|insta|instal|install|isnt|isnta|isntal|isntall|add|it|install-test|link|ln)$/;
const SETS = /^(?:config|c|set|pkg|init|create|innit)$/;

function judgeInstalledPackages(names: readonly string[], run: Run): void {
  if (names.some(isOwnPackage)) run.noteOwn("runs or changes pairpty itself");
}

/** Judges pnpm's changes of a registry; swept-programs.ts has the rule for what it runs. */
const pnpm: Rule = (args, run) => {
  const { operands } = readOptions(args, {
    values: "CF",
    long: ["dir", "filter"],
    flags: "*",
    mixesOperands: true,
  });
  const [verb = ""] = operands;
  judgeRegistry(verb, args, run);
};

const npx: Rule = (args, run) => {
  const options = readOptions(args, NPX);
  if (options.hasUnknown) run.judgeEveryStart(args);
  judgeSettings(options, run);
  for (const text of valuesFor(options, "c", "call")) run.judgeShellText(text);
  const [target, ...rest] = options.operands;
  if (target === undefined) return;
  if (isOwnProgram(target)) run.noteOwn("runs or changes pairpty itself");
  // A single word with blanks is a shell line.
  if (/\s/.test(target)) return run.asPossible().judgeShellText([target, ...rest].join(" "));
  const name = target.replace(/(?<=.)@[^/]*$/, "");
  judgePackage(name, rest, run);
  run.asPossible().judgeArgv([PROGRAM_BY_PACKAGE[name] ?? name, ...rest]);
};

/** Packages whose program has a different name. */
const PROGRAM_BY_PACKAGE: Readonly<Record<string, string>> = { "@changesets/cli": "changeset" };

/** Returns the words after a sub-command, with the options in their place. */
function afterVerb(args: readonly string[], verb: string): readonly string[] {
  const at = args.indexOf(verb);
  return [
    ...args.slice(0, at).filter((word) => word.startsWith("--")),
    ...args.slice(at + 1),
  ].filter((word, index, all) => word !== "--" || index !== all.indexOf("--"));
}

const yarn: Rule = (args, run) => {
  const options = readOptions(args, {
    long: ["cwd", "registry", "use-yarnrc"],
    longFlags: ["silent"],
    flags: "*",
  });
  const [verb, ...rest] = options.operands;
  if (verb === undefined) return;
  if (verb === "dlx" || verb === "exec") return npx(rest, run, "npx");
  if (verb === "node") return run.judgeArgv(["node", ...rest]);
  // `workspace a exec …`, `workspaces foreach -A run …`
  if (verb === "workspace") return run.judgeArgv(["yarn", ...rest.slice(1)]);
  if (verb === "workspaces") {
    const from = rest.findIndex((word) => /^(?:run|exec|npm)$/.test(word));
    return from < 0 ? undefined : run.judgeArgv(["yarn", ...rest.slice(from)]);
  }
  if (/^(?:add|global|link)$/.test(verb)) judgeInstalledPackages(rest, run);
  const [registry = "", ...packageArgs] = verb === "npm" ? rest : [verb, ...rest];
  judgeRegistry(registry, packageArgs, run);
  // A script, or a program that a package brought: never one of the system.
  const [name = "", ...own] = verb === "run" ? rest : [verb, ...rest];
  if (isOwnProgram(name)) run.noteOwn("runs or changes pairpty itself");
  if (findBlockedReason(name) === undefined) run.asPossible().judgeArgv([name, ...own]);
};

const BUN: OptionShape = {
  values: "erpcF",
  flags: "*",
  long: ["eval", "print", "preload", "cwd", "config", "shell", "filter"],
  longFlags: ["watch", "hot", "version", "help", "silent", "bun"],
};
const BUN_VERBS =
  /^(?:test|install|i|add|a|remove|rm|update|outdated|link|unlink|pm|build|init|create|c|upgrade|publish|patch|audit|why|info|repl)$/;

const bun: Rule = (args, run) => {
  const options = readOptions(args, BUN);
  for (const text of valuesFor(options, "e", "eval", "p", "print")) run.judgeCode(text);
  const [verb, ...rest] = options.operands;
  if (verb === undefined) return;
  if (verb === "x") return npx(rest, run, "bunx");
  if (verb === "exec") return run.judgeShellText(rest.join(" "));
  if (/^(?:add|a|install|i|link)$/.test(verb)) return judgeInstalledPackages(rest, run);
  judgeRegistry(verb, rest, run);
  if (BUN_VERBS.test(verb)) return;
  // A script, a program of a package or, unlike in the others, one of the system.
  const command = verb === "run" ? readOptions(rest, BUN).operands : options.operands;
  if (command[0] === "-") return judgeStdin(run, (text) => run.judgeCode(text));
  if (command.length > 0) run.asPossible().judgeArgv(command);
  if (command[0]?.includes("node_modules/")) run.asPossible().judgeArgv(["node", ...command]);
};

export const PACKAGE_RULES: readonly [string, Rule][] = [
  ["npm", npm],
  ["yarn", yarn],
  ["bun", bun],
  ["pnpm", pnpm],
];

/** Programs that run a program of a package. */
export const RUNNER_RULES: readonly [string, Rule][] = registerRule("npx bunx pnpx", npx);

// Tools that are dangerous only with some arguments are in irreversible/.

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

/**
 * Sub-commands by which a package manager changes what others install, and the arguments with which
 * they do.
 */
const REGISTRY: Readonly<Record<string, RegExp>> = {
  publish: /^(?!.*--dry-run)/,
  unpublish: /^(?!.*--dry-run)/,
  deprecate: /^/,
  undeprecate: /^/,
  owner: /\b(?:add|rm|remove)\b/,
  author: /\b(?:add|rm|remove)\b/,
  access: /\b(?:public|restricted|grant|revoke|set)\b/,
  "dist-tag": /\b(?:add|set|rm|remove)\b/,
  "dist-tags": /\b(?:add|set|rm|remove)\b/,
  tag: /\b(?:add|set|rm|remove)\b/,
  token: /\b(?:create|revoke|delete|remove|rm)\b/,
};

function judgeRegistry(verb: string, rest: readonly string[], run: Run): void {
  if (rest.includes("--help")) return;
  if (Object.hasOwn(REGISTRY, verb) && REGISTRY[verb]?.test(rest.join(" ")))
    run.note("dangerous", `${run.callText(1)} changes what others install`);
}

/** Judges a package by its name, or by its first argument: `npx x deploy`. Names of tests are ignored. */
function judgePackage(name: string, rest: readonly string[], run: Run): void {
  if (/^(?:@[^/]+\/)?create-/.test(name)) return;
  if (isHardToUndoPackage(name))
    run.note("dangerous", `${formatCode(name)} is hard to undo, judging by its name`);
  if (takesNamesAsData(name) || isSafeName(name) || TAKES_FILES.test(name) || isListedTool(name))
    return;
  const [verb = "", what = ""] = rest[0] === "run" ? rest.slice(1) : rest;
  if (/^[\w:-]+$/.test(verb) && isHardToUndo(verb) && !READ_ONLY_WORDS.test(what))
    run.note("dangerous", `${formatCode(`${name} ${verb}`)} is hard to undo, judging by its name`);
}

/** Checkers and runners, whose operands are names of tests, scripts and files. */
const TAKES_FILES =
  /^(?:@playwright\/test|playwright|cypress|eslint|prettier|biome|tsx|ts-node|zx|degit|serve)$/;
const READ_ONLY_WORDS = /^(?:status|list|ls|show|diff|help|--help|-h|--dry-run|-n)$/;
