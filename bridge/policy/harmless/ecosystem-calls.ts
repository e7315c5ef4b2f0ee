// Owns the harmless calls of common search tools and of the builders and test runners of other
// ecosystems: they run the project's own code, as `npm test` does. They are beyond
// `terminal.safeCommands`: their verdict may be safe, their level is not [A22]. Leaves out calls that
// write a report, format files, take settings or plugins as arguments, or lead out of the folder.

import { ESLINT_CALLS, JEST_CALLS, PRETTIER_CALLS, PROJECT_FILE } from "./node-calls.ts";
import { SCRIPT_ARGUMENTS, KNOWN_PACKAGES, SCRIPTS } from "./package-manager-calls.ts";
import { type HarmlessCall, type CallShape, withOptions } from "./call-shape.ts";

const NONE = { operands: { max: 0 } };

/** Leaves out --pre, --hostname-bin and -z, which run a program. */
const RG: CallShape = {
  options:
    "-i -S -s -n -N -l -c -v -w -x -o -q -u -U -F -P -L -H -I -a -0 -p -b -e= -f= -g= -t= -T= -A= -B= -C= -m= -M= " +
    "-j= -d= -r= -E= --files --files-with-matches --files-without-match --count --count-matches --ignore-case " +
    "--smart-case --case-sensitive --line-number --no-line-number --column --no-column --word-regexp --line-regexp " +
    "--only-matching --invert-match --fixed-strings --pcre2 --multiline --multiline-dotall --hidden --no-hidden " +
    "--no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --follow --regexp= --file= --glob= --iglob= " +
    "--type= --type-not= --type-list --max-count= --max-columns= --max-columns-preview --max-depth= " +
    "--max-filesize= --context= --after-context= --before-context= --context-separator= --replace= --sort= " +
    "--sortr= --json --stats --heading --no-heading --with-filename --no-filename --color= --colors= --no-messages " +
    "--trim --vimgrep --passthru --text --null --quiet --debug --threads= --encoding= --crlf --no-config --pretty " +
    "--engine=default|pcre2|auto --one-file-system --line-buffered --byte-offset --version --help -V -h",
};

/** jq neither writes nor runs anything; `env` prints variables, and modules are read from files. */
const JQ: CallShape = {
  options:
    "-r -c -s -n -e -S -C -M -a -j -R -h -V --raw-output --raw-output0 --compact-output --slurp --null-input " +
    "--exit-status --sort-keys --color-output --monochrome-output --ascii-output --join-output --raw-input --tab " +
    "--indent= --arg= --argjson= --args --jsonargs --stream --seq --unbuffered --version --help",
  forbidden: /\benv\b|\$ENV|\b(?:import|include)\s|\binput_filename\b|\bget_search_list\b/,
};

/** Leaves out -p, -c, -o and --rootdir, which load code, and --basetemp, which empties a folder. */
export const PYTEST: CallShape = {
  options:
    "-q -v -x -s -l -h -V -k= -m= -r= -n=auto|0|1|2|4|8 --quiet --verbose --exitfirst --maxfail= --tb= --lf --ff --nf " +
    "--sw --last-failed --failed-first --new-first --stepwise --durations= --collect-only --co --no-header " +
    "--no-summary --disable-warnings --cov[=] --cov-report=term|term-missing --no-cov --cov-branch --color= " +
    "--strict-markers --markers --fixtures --capture=no|sys|fd --showlocals --setup-show --version --help",
  operands: { inside: { from: 0 }, pattern: new RegExp(`^${PROJECT_FILE.source}`) },
  dependsOnFolder: true,
};

/** Only modules named like tests: unittest imports a module, which runs it. */
const A_TEST = /^tests?(?:$|[./_])|(?:^|[./_])tests?(?:$|[./_])/;
const UNITTEST_OPTIONS =
  "-v -q -f -b -c -h -k= --verbose --quiet --failfast --buffer --catch --locals --durations= --help";
const UNITTEST: HarmlessCall = [
  {
    options: UNITTEST_OPTIONS,
    operands: {
      inside: { from: 0 },
      pattern: new RegExp(`(?=.*(?:${A_TEST.source}))^${PROJECT_FILE.source}`),
    },
  },
  {
    options: UNITTEST_OPTIONS,
    subCommands: {
      discover: {
        options: `${UNITTEST_OPTIONS} -s=@ -t=@ -p= --start-directory=@ --top-level-directory=@ --pattern=`,
        operands: { max: 3, inside: { from: 0 } },
      },
    },
  },
];

/** Leaves out -c, -W, -X and a file: code that is not checked, or that decides what else is loaded. */
const PYTHON: CallShape = {
  options: "-B -E -I -O -P -s -u -v -q -V -h --version --help",
  modules: { pytest: PYTEST, unittest: UNITTEST },
  needs: "-V --version -h --help",
  operands: { max: 0 },
  dependsOnFolder: true,
};

/** `./…` and `.`: any other name is a module from elsewhere. */
const GO_PACKAGES = { pattern: /^\.(?:$|\/)/, inside: { from: 0 } };
const GO_BUILD = "-v -x -n -a -race -msan -trimpath -p= -tags= -mod=readonly|vendor";
const GO: CallShape = {
  subCommands: {
    // Leaves out -exec, -toolexec and -vettool, which run a program, and -o, -c and the profiles, which
    // write.
    test: {
      options:
        `${GO_BUILD} -short -failfast -json -cover -run= -bench= -benchmem -benchtime= -count= -cpu= -parallel= ` +
        "-timeout= -list= -skip= -shuffle= -covermode= -vet=off",
      operands: GO_PACKAGES,
      wholeWords: true,
      allowsEquals: true,
    },
    "build vet": { options: GO_BUILD, operands: GO_PACKAGES, wholeWords: true, allowsEquals: true },
    list: {
      options: "-json -m -e -deps -test -u -versions -f=",
      operands: GO_PACKAGES,
      wholeWords: true,
    },
    env: { options: "-json", operands: { pattern: /^[A-Z0-9_]+$/ }, wholeWords: true },
    "version doc help": { operands: { pattern: /^[\w./]+$/ } },
  },
  dependsOnFolder: true,
};

/** Leaves out --config, --target-dir, --out-dir and -Z. */
const CARGO_OPTIONS =
  "-q -v -r -F= -p= -j= --quiet --verbose --release --all --workspace --lib --bins --bin= --tests --test= --examples " +
  "--example= --benches --bench= --all-targets --features= --all-features --no-default-features --locked --offline " +
  "--frozen --package= --exclude= --jobs= --keep-going --message-format= --color= --profile=";
const CARGO: CallShape = {
  options: "-q -v -V -h --quiet --verbose --version --help --list",
  subCommands: {
    "build b check c": { options: CARGO_OPTIONS, ...NONE },
    "test t": {
      options: `${CARGO_OPTIONS} --no-run --no-fail-fast --doc`,
      afterDashes: {
        options:
          "-q --nocapture --no-capture --test-threads= --ignored --include-ignored --exact --skip= --show-output --list",
      },
    },
    doc: { options: `${CARGO_OPTIONS} --no-deps --document-private-items`, ...NONE },
    clippy: { options: CARGO_OPTIONS, ...NONE, afterDashes: { options: "-D= -W= -A=", ...NONE } },
    fmt: { options: "-q -v --all --check", needs: "--check", ...NONE },
    "tree metadata": {
      options: `${CARGO_OPTIONS} -i= -e= -d --invert= --duplicates --depth= --format-version=1 --no-deps`,
      ...NONE,
    },
  },
  dependsOnFolder: true,
};

const PNPM_OPTIONS =
  "-r -s -w -h -v -C=@ -F= --recursive --silent --dir=@ --filter= --workspace-root --stream --parallel --aggregate-output " +
  "--if-present --reporter=default|append-only|ndjson|silent --loglevel= --color --no-color --version --help";
const PNPM_RUN: CallShape = {
  options: PNPM_OPTIONS,
  subCommands: {},
  scripts: SCRIPTS,
  noGluedValues: true,
};
const PNPM: CallShape = {
  options: PNPM_OPTIONS,
  subCommands: {
    ...withOptions(PNPM_OPTIONS, {
      "install i": {
        options:
          "--frozen-lockfile --no-frozen-lockfile --offline --prefer-offline --ignore-scripts --prod --dev -P -D",
        ...NONE,
      },
      "list ls la ll why outdated audit licenses root bin": {
        options: "--depth= --json --long --prod --dev -P -D",
      },
      "test t tst start": SCRIPT_ARGUMENTS,
    }),
    run: PNPM_RUN,
    exec: { subCommands: KNOWN_PACKAGES },
  },
  scripts: SCRIPTS,
  noGluedValues: true,
  dependsOnFolder: true,
};

export const ECOSYSTEM_CALLS: Readonly<Record<string, HarmlessCall>> = {
  rg: RG,
  jq: JQ,
  pytest: PYTEST,
  python: PYTHON,
  python3: PYTHON,
  go: GO,
  cargo: CARGO,
  pnpm: PNPM,
  // Leaves out --fix and other settings.
  "golangci-lint": {
    subCommands: {
      run: {
        options: "-v -j= --verbose --fast --timeout= --concurrency= --enable= --disable= --new",
        operands: GO_PACKAGES,
      },
      "version help linters": NONE,
    },
    dependsOnFolder: true,
  },
  eslint: ESLINT_CALLS,
  jest: JEST_CALLS,
  prettier: PRETTIER_CALLS,
};
