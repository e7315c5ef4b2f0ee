// Owns the harmless calls of Python's checkers and package managers. As `npm test` does, some run the
// project's own code. Leaves out the same calls as build-calls.ts.

import { PROJECT_FILES } from "./node-calls.ts";
import type { HarmlessCall, CallShape } from "./call-shape.ts";
import { PYTEST } from "./ecosystem-calls.ts";

const NONE = { operands: { max: 0 } };
const HELP = "-h --help --version";

const RUFF: CallShape = {
  subCommands: {
    check: {
      options:
        "-q -v -s --quiet --verbose --silent --no-fix --diff --show-files --statistics --preview --no-cache -n " +
        "--exit-zero --select= --ignore= --extend-select= --exclude= --line-length= --target-version= " +
        `--output-format=concise|full|json|github|gitlab|grouped|pylint ${HELP}`,
      operands: PROJECT_FILES,
    },
    "version linter help": NONE,
    rule: {},
  },
  dependsOnFolder: true,
};
/** Leaves out settings, reports, cache folders, another Python and --install-types. */
const MYPY: CallShape = {
  options:
    "-v -p= -m= --verbose --strict --pretty --ignore-missing-imports --no-error-summary --show-error-codes " +
    "--show-error-context --show-column-numbers --check-untyped-defs --disallow-untyped-defs --no-incremental " +
    "--warn-unused-ignores --warn-return-any --follow-imports= --exclude= --python-version= --platform= " +
    `--explicit-package-bases --namespace-packages ${HELP} -V`,
  operands: PROJECT_FILES,
  dependsOnFolder: true,
};
const FLAKE8: CallShape = {
  options:
    "-q -v -j= --quiet --verbose --count --statistics --show-source --exit-zero --select= --ignore= " +
    `--extend-ignore= --extend-select= --exclude= --max-line-length= --max-complexity= ${HELP}`,
  operands: PROJECT_FILES,
  dependsOnFolder: true,
};
const BLACK: CallShape = {
  options: `-q -v -l= -t= --quiet --verbose --check --diff --color --no-color --line-length= --exclude= ${HELP}`,
  needs: "--check --diff --version -h --help",
  operands: PROJECT_FILES,
  dependsOnFolder: true,
};
const ISORT: CallShape = {
  options: `-c -q -v --check --check-only --diff --quiet --verbose --profile= --line-length= --skip= ${HELP}`,
  needs: "-c --check --check-only --diff --version -h --help",
  operands: PROJECT_FILES,
  dependsOnFolder: true,
};
const PIP: CallShape = {
  options: `-q -v -V --quiet --verbose --disable-pip-version-check --no-color ${HELP}`,
  subCommands: {
    "list freeze check": {
      options:
        "-q -v -o -u -l --outdated --uptodate --local --user --not-required --format=columns|freeze|json --exclude= --all --disable-pip-version-check",
      ...NONE,
    },
    show: { options: "-q -v -f --files --verbose", operands: { pattern: /^[\w.-]+$/ } },
  },
};
const PYTHON_TOOLS = {
  pytest: PYTEST,
  ruff: RUFF,
  mypy: MYPY,
  flake8: FLAKE8,
  black: BLACK,
  isort: ISORT,
};
const UV: CallShape = {
  options: `-q -v --quiet --verbose --offline --no-progress ${HELP} -V`,
  subCommands: {
    run: { options: "--frozen --locked --no-sync --offline -q", subCommands: PYTHON_TOOLS },
    sync: {
      options: "--frozen --locked --offline --all-extras --all-groups --dev --no-dev --check -q",
      ...NONE,
    },
    lock: { options: "--check --locked --offline", needs: "--check --locked", ...NONE },
    tree: { options: "--frozen --locked --depth= --outdated", ...NONE },
    pip: {
      subCommands: { "list freeze check": NONE, show: { operands: { pattern: /^[\w.-]+$/ } } },
    },
  },
  dependsOnFolder: true,
};
const POETRY: CallShape = {
  options: `-q -v -n --quiet --verbose --no-interaction --no-ansi ${HELP} -V`,
  subCommands: {
    run: { subCommands: PYTHON_TOOLS },
    install: {
      options: "-q -v -n --no-root --no-interaction --all-extras --with= --without= --only=",
      ...NONE,
    },
    "check version about": { options: "--lock -s --short", ...NONE },
    show: {
      options: "-t -l -o --tree --latest --outdated --top-level",
      operands: { pattern: /^[\w.-]+$/ },
    },
  },
  dependsOnFolder: true,
};

/** Phases alone: a goal of a plugin (`exec:exec`) runs anything, and -D sets what it runs. */
export const PYTHON_CALLS: Readonly<Record<string, HarmlessCall>> = {
  ...PYTHON_TOOLS,
  pip: PIP,
  pip3: PIP,
  uv: UV,
  poetry: POETRY,
};
