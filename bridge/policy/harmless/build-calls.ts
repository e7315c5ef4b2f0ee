// Owns the harmless calls of builders, checkers and test runners of further ecosystems: make,
// Java, .NET, Ruby, PHP, Elixir, Swift, C and C++, Deno. As `npm test` does, they run the project's own
// code. Leaves out calls that install, publish, format files, write a report, take settings, plugins
// or variables as arguments, or lead out of the folder.

import { isHardToUndoScript } from "../destructive-verbs.ts";
import { PROJECT_FILE, PROJECT_FILES } from "./node-calls.ts";
import type { HarmlessCall, CallShape } from "./call-shape.ts";
import { PYTHON_CALLS } from "./python-calls.ts";

const NONE = { operands: { max: 0 } };
const HELP = "-h --help --version";
/** `make X=y` sets a variable, which may name a program. */
const USUAL_TARGET =
  /^(?:all|build|compile|debug|tests?|unit|integration|e2e|specs?|smoke|check|checks|lint|vet|verify|validate|typecheck|types|coverage|bench|docs?|help|ci)(?:[-_:.][\w:.-]+)?$/;
const TARGETS = {
  byName: true,
  pattern: {
    test: (name: string): boolean => USUAL_TARGET.test(name) && !isHardToUndoScript(name),
  },
};

/** Leaves out -f, -I, -E, -o and -W. */
const MAKE: CallShape = {
  options:
    "-B -i -k -n -q -s -w -C=@ -j[1|2|4|8|16] --always-make --directory=@ --dry-run --ignore-errors --jobs[=] " +
    "--just-print --keep-going --no-print-directory --output-sync[=] --question --quiet --silent --version --help",
  operands: TARGETS,
  dependsOnFolder: true,
};
/** `make -j4`: a glued number is another form than a separate one. */
const MAKE_GLUED: CallShape = {
  ...MAKE,
  options: (MAKE.options ?? "").replace("-j[1|2|4|8|16]", "-j[=]"),
};

const MVN: CallShape = {
  options:
    "-q -o -B -e -X -U -V -v -h -ntp -fae -ff -am -amd -pl= -T= -Dtest[=] -DskipTests[=] --quiet --offline " +
    "--batch-mode --errors --no-transfer-progress --fail-at-end --fail-fast --also-make --projects= --version --help",
  wholeWords: true,
  allowsEquals: true,
  operands: { byName: true, pattern: /^(?:validate|compile|test-compile|test|package|verify)$/ },
  dependsOnFolder: true,
};
/** Leaves out other build files and init scripts, and properties, which builds run. */
const GRADLE: CallShape = {
  options:
    "-q -i -s -v -h -x= --quiet --info --stacktrace --offline --no-daemon --continue --parallel --console=plain|rich|auto|verbose " +
    "--tests= --rerun-tasks --build-cache --no-build-cache --dry-run -m --version --help --warning-mode=all|none|summary|fail",
  operands: {
    byName: true,
    pattern:
      /^(?::[\w.-]+)*:?(?:assemble|build|check|classes|testClasses|compile\w*|test|\w+Test|lint\w*|detekt|ktlintCheck|spotlessCheck|tasks|projects|dependencies|properties|help)$/,
  },
  dependsOnFolder: true,
};
const DOTNET: CallShape = {
  options: "-h --help --version --info --list-sdks --list-runtimes",
  subCommands: {
    "build test restore": {
      options:
        "-c= -f= -v= -t -h --configuration= --framework= --verbosity= --filter= --list-tests --no-build " +
        "--no-restore --nologo --blame --no-incremental --help",
      // `/p:X=y` and `@file` hold further options.
      operands: {
        inside: { from: 0 },
        pattern: /^[^/@:=][^@:=]*\.(?:sln|slnx|slnf|[cfv][sb]proj)$/,
      },
    },
  },
  dependsOnFolder: true,
};

const RSPEC: CallShape = {
  options:
    "-b -c -n= -e= -t= -P= -f=p|d|j|h|progress|documentation|json|failures --format=progress|documentation|json|failures " +
    "--backtrace --color --no-color --force-color --example= --tag= --fail-fast[=] --seed= --order= --dry-run " +
    `--only-failures --next-failure --profile[=] ${HELP} -v`,
  operands: PROJECT_FILES,
  dependsOnFolder: true,
};
/** Without -a and -A, which correct files. */
const RUBOCOP: CallShape = {
  options: `-D -E -S -L --lint --only= --except= --parallel --format=simple|progress|json|offenses|github -f=s|p|j|o --fail-level= ${HELP} -v`,
  operands: PROJECT_FILES,
  dependsOnFolder: true,
};
const RAKE: CallShape = {
  options:
    "-T -P -n -q -s -t -V --tasks[=] --prereqs --dry-run --quiet --silent --trace --version --help -h",
  operands: TARGETS,
  dependsOnFolder: true,
};
const BUNDLE: CallShape = {
  options: `${HELP} -v --no-color --verbose`,
  subCommands: {
    exec: { subCommands: { rspec: RSPEC, rubocop: RUBOCOP, rake: RAKE } },
    install: { options: "--quiet --local --frozen --deployment --jobs= --retry=", ...NONE },
    "check list outdated": { options: "--dry-run --name-only --strict --parseable", ...NONE },
    "show info": { operands: { pattern: /^[\w.-]+$/ } },
  },
  dependsOnFolder: true,
};

const PHPUNIT: CallShape = {
  options:
    "--filter= --testsuite= --group= --exclude-group= --stop-on-failure --stop-on-error --stop-on-defect --testdox " +
    `--colors[=] --no-coverage --no-progress --display-warnings --display-deprecations --list-tests --list-suites ${HELP}`,
  operands: PROJECT_FILES,
  dependsOnFolder: true,
};
const COMPOSER: CallShape = {
  options: `-q -v -n --quiet --verbose --no-interaction --ansi --no-ansi ${HELP} -V`,
  subCommands: {
    install: {
      options:
        "-n -q -o --no-interaction --no-dev --no-progress --no-scripts --prefer-dist --optimize-autoloader --dry-run",
      ...NONE,
    },
    "validate show outdated licenses diagnose check-platform-reqs": {
      options:
        "-t -D -o -i --tree --direct --outdated --strict --no-check-publish --format=text|json",
      operands: { pattern: /^[\w.-]+\/[\w.-]+$/ },
    },
    "test tests lint check analyse phpstan": NONE,
  },
  dependsOnFolder: true,
};

const MIX: CallShape = {
  subCommands: {
    test: {
      options:
        "--trace --failed --stale --cover --color --no-color --only= --exclude= --include= --seed= --max-failures= --slowest= --warnings-as-errors",
      operands: PROJECT_FILES,
    },
    compile: { options: "--force --warnings-as-errors --all-warnings", ...NONE },
    credo: { options: "--strict --all", ...NONE },
    "help deps deps.tree": { operands: { pattern: /^[\w.]+$/ } },
  },
  dependsOnFolder: true,
};
const SWIFT: CallShape = {
  options: "--version --help",
  subCommands: {
    "build test": {
      options:
        "-c=debug|release -v -q --configuration=debug|release --filter= --skip= --parallel --verbose --quiet --target= --product= --list-tests",
      ...NONE,
    },
  },
  dependsOnFolder: true,
};

/** Leaves out -S, -SP, -D, -M and --build-and-test, which run scripts and builds. */
const CTEST: CallShape = {
  options:
    "-V -VV -Q -N -F -j= -R= -E= -L= -LE= -C= -I= --test-dir=@ --output-on-failure --rerun-failed --verbose --quiet " +
    "--progress --parallel= --tests-regex= --exclude-regex= --timeout= --stop-on-failure --show-only --schedule-random --version --help",
  wholeWords: true,
  ...NONE,
  dependsOnFolder: true,
};
const CMAKE: HarmlessCall = [
  {
    options: "--build=@ -j= -v --parallel= --config= --target=all|test|check --verbose",
    needs: "--build",
    ...NONE,
    afterDashes: NONE,
    dependsOnFolder: true,
  },
  { options: "--version --help", needs: "--version --help", ...NONE },
];

/** Without a colon: an address would be fetched and run. */
const DENO_FILES = { inside: { from: 0 }, pattern: new RegExp(`^${PROJECT_FILE.source}[^:]*$`) };
const DENO: CallShape = {
  options: "-V -h --version --help",
  subCommands: {
    test: {
      options:
        "-A -q -h --allow-all --allow-read[=] --allow-env[=] --allow-net[=] --filter= --fail-fast[=] --no-check --parallel --quiet --doc --shuffle[=]",
      operands: DENO_FILES,
    },
    "lint check": { options: "-q --quiet --json --compact --all", operands: DENO_FILES },
    fmt: { options: "-q --quiet --check", needs: "--check", operands: DENO_FILES },
  },
  dependsOnFolder: true,
};

export const BUILD_CALLS: Readonly<Record<string, HarmlessCall>> = {
  make: [MAKE, MAKE_GLUED],
  ...PYTHON_CALLS,
  mvn: MVN,
  gradle: GRADLE,
  dotnet: DOTNET,
  rspec: RSPEC,
  rubocop: RUBOCOP,
  rake: RAKE,
  bundle: BUNDLE,
  phpunit: PHPUNIT,
  composer: COMPOSER,
  mix: MIX,
  swift: SWIFT,
  ctest: CTEST,
  cmake: CMAKE,
  deno: DENO,
  gofmt: {
    options: "-l -d -e -s",
    needs: "-l -d",
    wholeWords: true,
  },
  shellcheck: {
    options:
      "-a -x -s= -e= -i= -f=checkstyle|diff|gcc|json|json1|quiet|tty -S= -C[=] --shell= --exclude= --include= --severity= --format=gcc|json|json1|quiet|tty --external-sources --check-sourced --version --help -V",
  },
};
