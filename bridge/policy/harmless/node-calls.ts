// Owns the harmless calls of node, the compiler and the usual checkers: those of
// `terminal.safeCommands`, and the few that package managers may run by name
// (package-manager-calls.ts). Leaves out calls that write a report, a profile or an output folder,
// load a module, read options from a file or open a debugger.

import { isHardToUndoScript } from "../destructive-verbs.ts";
import type { HarmlessCall } from "./call-shape.ts";

/** Leaves out files that a package or a tool put there: `node_modules/…`, `.yarn/releases/yarn.cjs`. */
export const PROJECT_FILE = /(?!.*\bnode_modules\/)(?!(?:.*\/)?\.[^./])/;

/** Checkers and test runners load the settings of the folder that they check. */
export const PROJECT_FILES = {
  inside: { from: 0 },
  pattern: new RegExp(`^(?![@/])${PROJECT_FILE.source}[^=]*$`),
};

/** A checker loads the settings of the folder that it checks. */
const CHECKED = { inside: { from: 0 }, pattern: /^(?!.*\bnode_modules\b)/ };
const FIRST_INSIDE = {
  max: 1,
  inside: { from: 0 },
  pattern: new RegExp(`^(?!(?:inspect|debug)$)${PROJECT_FILE.source}`),
};

const NODE_OPTIONS =
  "-v -h -c --version --help --check --watch --watch-preserve-output --no-warnings --trace-warnings " +
  "--trace-deprecation --trace-uncaught --no-deprecation --throw-deprecation --pending-deprecation " +
  "--enable-source-maps --expose-gc --max-old-space-size[=] --max-semi-space-size[=] --stack-size[=] " +
  "--stack-trace-limit[=] --unhandled-rejections= --disable-warning= --preserve-symlinks --no-addons " +
  "--experimental-strip-types --no-experimental-strip-types --experimental-transform-types " +
  "--experimental-vm-modules --no-experimental-require-module --experimental-sqlite " +
  "--dns-result-order=ipv4first|ipv6first|verbatim --input-type=module|commonjs " +
  "-r=! --require=! --import=! --loader=! --experimental-loader=! --env-file=! --env-file-if-exists=!";

const NODE_TEST =
  "--test --test-only --test-name-pattern= --test-skip-pattern= --test-concurrency= --test-timeout= " +
  "--test-force-exit --test-shard= --test-reporter=spec|tap|dot|junit|lcov --experimental-test-coverage " +
  "--test-isolation=none|process --experimental-test-isolation=none|process";

export const NODE_CALLS: HarmlessCall = [
  {
    options: NODE_OPTIONS,
    operands: FIRST_INSIDE,
    runsFirst: true,
    programArguments: { test: (word) => !isHardToUndoScript(word) },
    dependsOnFolder: true,
  },
  {
    options: `${NODE_OPTIONS} ${NODE_TEST}`,
    needs: "--test",
    operands: CHECKED,
    dependsOnFolder: true,
  },
];

const TSC_OPTIONS =
  "-p=@ -w -v -h -b --project=@ --watch[true|false] --version --help --all --build --verbose --dry " +
  "--noEmit --pretty[true|false] --strict[true|false] --skipLibCheck[true|false] --listFiles --listFilesOnly " +
  "--showConfig --traceResolution --explainFiles --extendedDiagnostics --diagnostics --noEmitOnError " +
  "--noUnusedLocals[true|false] --noUnusedParameters[true|false] --noImplicitAny[true|false] " +
  "--strictNullChecks[true|false] --esModuleInterop[true|false] --allowJs[true|false] --checkJs[true|false] " +
  "--resolveJsonModule[true|false] --isolatedModules[true|false] --exactOptionalPropertyTypes[true|false] " +
  "--noErrorTruncation --preserveWatchOutput --jsx= --target= -t= --module= -m= --moduleResolution= --lib= " +
  "--force -f";

/**
 * A file among the arguments is compiled to a file beside it, and `@file` holds more options. A
 * switch takes `false` or `null` from the next word, so other operands cannot be recognised.
 */
export const TSC_CALLS: HarmlessCall = [
  {
    options: TSC_OPTIONS,
    wholeWords: true,
    operands: { max: 0 },
    optionsAfterDashes: true,
    dependsOnFolder: true,
  },
  {
    options: TSC_OPTIONS,
    wholeWords: true,
    needs: "--noEmit",
    operands: { inside: { from: 0 }, pattern: /^(?!@).*\.[cm]?[jt]sx?$/ },
    optionsAfterDashes: true,
    dependsOnFolder: true,
  },
];

const VITEST_REPORTERS =
  "default|basic|verbose|dot|json|tap|tap-flat|junit|tree|minimal|agent|hanging-process|github-actions";

const VITEST_OPTIONS =
  "-v -h -w -t= --version --help --run --watch --no-watch --coverage --no-coverage --coverage.enabled[=] " +
  "--coverage.reporter=text|text-summary --testNamePattern= --test-name-pattern= --bail= --retry= --silent[=] " +
  `--no-color --color --reporter=${VITEST_REPORTERS} --passWithNoTests --changed[=] --hideSkippedTests ` +
  "--isolate --no-isolate --pool=forks|threads|vmForks|vmThreads --maxWorkers= --minWorkers= --testTimeout= " +
  "--hookTimeout= --teardownTimeout= --project= --exclude= --dir=@ --globals --logHeapUsage --allowOnly " +
  "--file-parallelism --no-file-parallelism --fileParallelism[=] --shard= --sequence.shuffle[=] --sequence.seed= " +
  "--environment=node|jsdom|happy-dom|edge-runtime --disable-console-intercept --expandSnapshotDiff --typecheck " +
  "--dangerouslyIgnoreUnhandledErrors --printConsoleTrace --clearScreen[=] --no-clearScreen";

export const VITEST_CALLS: HarmlessCall = [
  {
    options: VITEST_OPTIONS,
    subCommands: {
      "run watch dev related list bench": {
        options: VITEST_OPTIONS,
        operands: CHECKED,
        noGluedValues: true,
        optionsAfterDashes: true,
      },
    },
    noGluedValues: true,
    dependsOnFolder: true,
  },
  {
    options: VITEST_OPTIONS,
    operands: { ...CHECKED, pattern: new RegExp(`^(?!init$)${PROJECT_FILE.source}`) },
    noGluedValues: true,
    optionsAfterDashes: true,
    dependsOnFolder: true,
  },
];

export const JEST_CALLS: HarmlessCall = {
  options:
    "-v -h -i -b -o -f -t= -w= --version --help --ci --runInBand --coverage --no-coverage --watch --watchAll[=] " +
    "--no-watchman --testNamePattern= --testPathPattern= --testPathPatterns= " +
    "--testPathIgnorePatterns= --passWithNoTests --verbose --silent --bail[=] --maxWorkers= --no-cache " +
    "--detectOpenHandles --forceExit --onlyChanged --onlyFailures --lastCommit --changedSince= --listTests " +
    "--testTimeout= --expand --color --no-color --colors --errorOnDeprecated --logHeapUsage --randomize --seed= " +
    "--shard= --selectProjects= --showConfig --findRelatedTests --runTestsByPath",
  operands: CHECKED,
  noGluedValues: true,
  optionsAfterDashes: true,
  dependsOnFolder: true,
};

export const ESLINT_CALLS: HarmlessCall = {
  options:
    "-v -h --version --help --ext= --quiet --max-warnings= --no-warn-ignored --no-error-on-unmatched-pattern " +
    "--color --no-color --no-inline-config --report-unused-disable-directives --no-ignore --ignore-pattern= " +
    "-f=stylish|json|html --format=stylish|json|html --debug --fix-dry-run " +
    "--no-cache --no-eslintrc --stats --pass-on-no-patterns --print-config=@ --rule= --global=",
  operands: CHECKED,
  noGluedValues: true,
  optionsAfterDashes: true,
  dependsOnFolder: true,
};

/** Any other name is a file that it loads. */
const PRETTIER_PARSERS =
  "babel|babel-flow|babel-ts|flow|typescript|acorn|espree|meriyah|css|less|scss|json|json5|jsonc|" +
  "json-stringify|graphql|markdown|mdx|vue|yaml|glimmer|html|angular|lwc|mjml";

export const PRETTIER_CALLS: HarmlessCall = {
  options:
    "-v -h -c -l --version --help --check --list-different --no-color --color --log-level= --loglevel= " +
    "--ignore-unknown -u --no-error-on-unmatched-pattern --no-config --no-editorconfig " +
    `--parser=${PRETTIER_PARSERS} --stdin-filepath=@ --print-width= --tab-width= --single-quote --no-semi ` +
    "--trailing-comma= --file-info=@ --find-config-path=@ --support-info",
  operands: CHECKED,
  noGluedValues: true,
  optionsAfterDashes: true,
  dependsOnFolder: true,
};
