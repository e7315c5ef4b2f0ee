// Owns the harmless calls of npm, npx, yarn, bun and bunx: those that install by name, print, and run
// the project's own scripts. The policy does not read which scripts a project has or what they do.

import { isHardToUndoScript } from "../destructive-verbs.ts";
import {
  PROJECT_FILE,
  ESLINT_CALLS,
  JEST_CALLS,
  PRETTIER_CALLS,
  TSC_CALLS,
  VITEST_CALLS,
} from "./node-calls.ts";
import { type HarmlessCall, type CallShape, withOptions } from "./call-shape.ts";

/**
 * Packages that npx and similar programs may run: the usual checkers as the project has installed them,
 * each with its own harmless options. With a version or a tag (`tsc@latest`) the package would be
 * fetched.
 */
export const KNOWN_PACKAGES: Readonly<Record<string, HarmlessCall>> = {
  tsc: TSC_CALLS,
  vitest: VITEST_CALLS,
  jest: JEST_CALLS,
  eslint: ESLINT_CALLS,
  prettier: PRETTIER_CALLS,
};

/** Usual arguments of scripts. Any other argument may be an option that writes. */
export const SCRIPT_ARGUMENTS: CallShape = {
  options:
    "-h -v -q -i -t=@ -g=@ --help --version --verbose --quiet --silent --watch[=true|false] --watchAll[=true|false] --run --ci --coverage[=true|false] " +
    "--no-coverage --bail --runInBand --passWithNoTests --testNamePattern=@ --testPathPattern=@ --grep=@ " +
    "--reporter=default|verbose|dot|json|tap|spec|list|line --port= -p=@ --host=localhost|127.0.0.1|::1 --hostname=localhost|127.0.0.1|::1 --mode= " +
    "--debug --headed --project=@ --workers= --shard= --retries= --maxWorkers= --color --no-color --noEmit " +
    "--check --max-warnings= --list --only --turbo --turbopack --strictPort --forceExit --detectOpenHandles " +
    "--if-present --production --dev",
  operands: { inside: { from: 0 } },
  noGluedValues: true,
  optionsAfterDashes: true,
};

/** Leaves out addresses instead of names: they are not reviewed. */
const NAMES = {
  pattern: /^(?!.*\.(?:tgz|tar|tar\.gz)$)(?:@\w[\w.-]*\/)?\w[\w.-]*(?:@[\w.^~<>=*|-]+)?$/,
};
const ANY_VERSION = { operands: NAMES };
const NOTHING = { operands: { max: 0 } };

/** Returns the shapes of an install: with a name, it may bring a package that is new to the project. */
const toInstallShapes = (shape: CallShape): readonly CallShape[] => [
  { ...shape, ...NOTHING },
  { ...shape, outwardEffect: "installs packages that may be new to this project" },
];

/** The policy knows only the name of a script. */
const HARMLESS_NAME = { test: (name: string): boolean => !isHardToUndoScript(name) };

const NPM_OPTIONS =
  "-s -q -d -v -h -l -a -w=@ -C=@ --silent --quiet --verbose --version --help --json --long --parseable --all " +
  "--workspace=@ --workspaces -ws --include-workspace-root --if-present --prefix=@ --loglevel= --color[=] " +
  "--no-color --progress --no-progress --no-audit --no-fund --no-update-notifier --foreground-scripts " +
  "--ignore-scripts --offline --prefer-offline --prefer-online --depth= --dry-run --omit=dev|optional|peer " +
  "--include=dev|optional|peer --production --only=prod|production|dev";

const NPM_INSTALL: CallShape = {
  options:
    "-D -S -P -E -O -B --save --save-dev --save-prod --save-exact --save-optional --save-peer --save-bundle " +
    "--no-save --no-optional --legacy-peer-deps --strict-peer-deps --engine-strict --package-lock-only " +
    "--no-package-lock --package-lock --prefer-dedupe --audit --fund",
  ...ANY_VERSION,
};

const NPM_VERBS: Readonly<Record<string, HarmlessCall>> = {
  "run run-script rum urn": {
    afterDashes: SCRIPT_ARGUMENTS,
    operands: {
      first: HARMLESS_NAME,
      byName: true,
      inside: { from: 1 },
      mismatchReason: "may be hard to undo, judging by its name",
    },
  },
  "test t tst start stop restart": {
    afterDashes: SCRIPT_ARGUMENTS,
    operands: { inside: { from: 0 } },
  },
  "install i in ins inst insta instal isnt isnta isntal isntall add": toInstallShapes(NPM_INSTALL),
  "ci clean-install ic install-clean": { ...NPM_INSTALL, ...NOTHING },
  "uninstall un unlink remove rm r": NPM_INSTALL,
  "update up upgrade udpate": NPM_INSTALL,
  "ls list ll la outdated root prefix bin": { options: "-g --global" },
  "why explain query ping doctor whoami help": {},
  "view info show v search find": {},
  audit: { options: "--audit-level= --production", subCommands: { signatures: NOTHING } },
  fund: NOTHING,
  config: { subCommands: { "get list ls": {} } },
  get: {},
  pkg: { subCommands: { get: {} } },
  version: NOTHING,
};

const RUNS_PACKAGE: CallShape = {
  options: "-q --no --no-install --quiet",
  subCommands: KNOWN_PACKAGES,
  noGluedValues: true,
};

/** Usual names of scripts; any other name may be a program that yarn or bun finds. */
const USUAL_SCRIPT =
  /^(?:dev|develop|start|serve|server|preview|build|compile|bundle|watch|test|tests|unit|e2e|integration|spec|coverage|lint|format|fmt|typecheck|type-check|types|check|checks|ci|verify|validate|storybook|docs|codegen|generate|analyze|bench|benchmark|smoke)(?:[:.-][\w:.-]+)?$/;
export const SCRIPTS = {
  like: { test: (name: string): boolean => USUAL_SCRIPT.test(name) && !isHardToUndoScript(name) },
  call: SCRIPT_ARGUMENTS,
};

const YARN_OPTIONS =
  "-s -v -h --silent --verbose --version --help --json --cwd=@ --no-progress --offline";
const YARN_INSTALL: CallShape = {
  options:
    "-D -E -P -O -T --dev --exact --peer --optional --tilde --caret --frozen-lockfile --immutable " +
    "--production[=] --ignore-scripts --ignore-engines --ignore-optional --prefer-offline --non-interactive " +
    "--pure-lockfile --check-files --inline-builds --mode=skip-build|update-lockfile",
  ...ANY_VERSION,
};
const YARN_RUN: CallShape = {
  noGluedValues: true,
  options: YARN_OPTIONS,
  subCommands: KNOWN_PACKAGES,
  scripts: SCRIPTS,
};

const YARN: CallShape = {
  options: `${YARN_OPTIONS} ${YARN_INSTALL.options}`,
  subCommands: {
    ...KNOWN_PACKAGES,
    ...withOptions(YARN_OPTIONS, {
      install: YARN_INSTALL,
      add: toInstallShapes(YARN_INSTALL),
      "remove up upgrade": YARN_INSTALL,
      "list why info outdated audit licenses versions help bin": {},
      workspaces: { subCommands: { "list info": {} } },
      config: { subCommands: { "get list": {} } },
    }),
    run: YARN_RUN,
    exec: { subCommands: KNOWN_PACKAGES },
  },
  scripts: SCRIPTS,
  noGluedValues: true,
  dependsOnFolder: true,
};

const BUN_OPTIONS =
  "-b -v -h --bun --silent --watch --hot --version --revision --help --cwd=@ --filter= -F=";
const BUN_INSTALL: CallShape = {
  options:
    "-d -D -E -p --dev --development --optional --peer --exact --production --frozen-lockfile --no-save " +
    "--dry-run --ignore-scripts --silent --verbose --no-progress --no-summary --save",
  ...ANY_VERSION,
};
/** A file of the project. */
const BUN_FILE = new RegExp(
  `^(?![/~])(?!.*\\.\\.)${PROJECT_FILE.source}[\\w@./-]+\\.[cm]?[jt]sx?$`,
);
const BUN_RUN: readonly CallShape[] = [
  { options: BUN_OPTIONS, subCommands: KNOWN_PACKAGES, scripts: SCRIPTS },
  {
    options: BUN_OPTIONS,
    operands: { pattern: BUN_FILE },
    runsFirst: true,
    programArguments: HARMLESS_NAME,
  },
];

const BUN: readonly CallShape[] = [
  {
    options: BUN_OPTIONS,
    subCommands: {
      ...KNOWN_PACKAGES,
      ...withOptions("--cwd=@", {
        "install i add a": toInstallShapes(BUN_INSTALL),
        "remove rm update": BUN_INSTALL,
        test: {
          options:
            "-t= --watch --coverage --timeout= --bail[=] --todo --only --rerun-each= --test-name-pattern= --silent",
          operands: { inside: { from: 0 } },
        },
        "outdated audit why": {},
        pm: { options: "--all", subCommands: { "ls bin hash hash-string whoami": NOTHING } },
      }),
      run: BUN_RUN,
      x: RUNS_PACKAGE,
    },
    scripts: SCRIPTS,
    dependsOnFolder: true,
  },
  {
    options: BUN_OPTIONS,
    operands: { pattern: BUN_FILE },
    runsFirst: true,
    programArguments: HARMLESS_NAME,
    dependsOnFolder: true,
  },
];

export const PACKAGE_CALLS: Readonly<Record<string, HarmlessCall>> = {
  npm: {
    options: NPM_OPTIONS,
    subCommands: { ...withOptions(NPM_OPTIONS, NPM_VERBS), "exec x": RUNS_PACKAGE },
    noGluedValues: true,
    dependsOnFolder: true,
  },
  npx: { ...RUNS_PACKAGE, dependsOnFolder: true },
  bunx: { ...RUNS_PACKAGE, options: "--bun --silent --verbose", dependsOnFolder: true },
  yarn: YARN,
  bun: BUN,
};
