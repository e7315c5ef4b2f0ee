// Owns the harmless calls of git: those that print, and changes of the repository that can be undone.
// Leaves out calls that run a helper or an editor, set configuration, write outside the repository or
// discard anything. git accepts any unique prefix of an option; here only full names count.
// CallShape in call-shape.ts explains the notation of the options.

import type { HarmlessCall, CallShape } from "./call-shape.ts";

const DIGITS = "-0 -1 -2 -3 -4 -5 -6 -7 -8 -9";

const DIFF =
  "-p -u -s -z -w -b -a -R -r -t -c -m -W -M[=] -C[=] -B[=] -D -S= -G= -U= -l= --cc --patch --no-patch --raw " +
  "--stat[=] --numstat --shortstat --dirstat[=] --summary --compact-summary --patch-with-stat --name-only " +
  "--name-status --minimal --patience --histogram --diff-algorithm= --anchored= --color[=] --no-color " +
  "--color-moved[=] --word-diff[=] --word-diff-regex= --color-words[=] --no-renames --find-renames[=] " +
  "--find-copies[=] --find-copies-harder --break-rewrites[=] --irreversible-delete --check --full-index " +
  "--binary --abbrev[=] --no-abbrev --diff-filter= --pickaxe-regex --pickaxe-all --relative[=] --no-relative " +
  "--text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space " +
  "--ignore-blank-lines --ignore-matching-lines= -I= --function-context --unified= --inter-hunk-context= " +
  "--exit-code --quiet --no-ext-diff --no-textconv --src-prefix= --dst-prefix= --no-prefix " +
  "--default-prefix --line-prefix= --submodule[=] --ignore-submodules[=] --ita-invisible-in-index " +
  "--cached --staged --merge-base --no-index --root --no-commit-id --combined-all-paths";

const LOG =
  `${DIFF} ${DIGITS} -n= -i -E -F -P -g -q -L= --oneline --max-count= --skip= --since= --until= --after= ` +
  "--before= --author= --committer= --grep= --grep-reflog= --all-match --invert-grep --regexp-ignore-case " +
  "--extended-regexp --fixed-strings --perl-regexp --basic-regexp --all --branches[=] --tags[=] --remotes[=] " +
  "--glob= --exclude= --graph --no-graph --decorate[=] --no-decorate --decorate-refs= --decorate-refs-exclude= " +
  "--clear-decorations --format= --pretty[=] --abbrev-commit --no-abbrev-commit --reverse --first-parent " +
  "--merges --no-merges --min-parents= --max-parents= --follow --date= --relative-date --date-order " +
  "--topo-order --author-date-order --left-right --left-only --right-only --cherry --cherry-pick --cherry-mark " +
  "--boundary --simplify-by-decoration --simplify-merges --full-history --dense --sparse --ancestry-path[=] " +
  "--show-pulls --no-notes --notes[=] --source --walk-reflogs --children --parents --no-walk[=] --log-size " +
  "--use-mailmap --no-mailmap --count --objects --timestamp --diff-merges= --remerge-diff --not --bisect";

const NONE = { max: 0 };
const CHANGED = { inside: { from: 0 }, changes: { from: 0 } };
/** Leaves out what forces or deletes, here or at the remote. */
const REFS = /^(?![+:./~])(?!.*::)(?!.*\*.*:)/;
/** Usual names of remotes: any other may be a folder, or a host that deploys what it receives. */
const A_REMOTE = /^(?:origin|upstream|fork|github|gitlab|bitbucket|codeberg)$/;
/** Leaves out `helper::address`, which runs a helper, and folders, whose hooks git runs. */
const AN_ADDRESS = /^(?:(?:https?|ssh|git):\/\/|[\w.-]+@)\w[^\s:]*(?::(?!:)[^\s]*)?$/;
const REMOTES = { pattern: REFS, first: new RegExp(`${A_REMOTE.source}|${AN_ADDRESS.source}`) };
/** Anything of this folder could be sent to an address that is not configured. */
const OWN_REMOTES = {
  pattern: REFS,
  first: A_REMOTE,
  mismatchReason: "forces, or isn't a usual remote",
};
/** Without a folder, git clones into one named after the last part of the address, which may be `.vscode`. */
const ADDRESSES = {
  first: new RegExp(`(?!.*[/:](?:\\.[^/]*|node_modules(?:\\.git)?)/*$)${AN_ADDRESS.source}`),
};
/** Leaves out files that decide what later commands run: moving another file there means running it. */
const NO_SETTINGS =
  /^(?!(?:.*\/)?(?:package(?:-lock)?\.json|[\w.-]*(?:config|rc|setup)\.[\w.]+|tsconfig[\w.-]*|(?:GNU)?makefile|[\w-]*\.mk|justfile|taskfile[\w.]*|jenkinsfile|dockerfile[\w.-]*|(?:docker-)?compose[\w.-]*|rakefile|gemfile|setup\.\w+|pyproject\.toml|conftest\.py|sitecustomize\.py|cargo\.toml|build\.rs|go\.mod|cmakelists\.txt|[\w-]*-pipelines\.ya?ml|procfile|vagrantfile|[\w-]*(?:gulp|grunt)file[\w.-]*|bunfig\.toml|deno\.jsonc?|(?:turbo|nx|lerna)\.json|pnpm-workspace\.yaml|(?:agents|claude)\.md|lefthook\.\w+|\.env[\w.-]*|[\w.-]*\.(?:ya?ml|toml|lock|cfg|ini|mk|gradle|kts|sbt|service))$)/i;
/**
 * `git checkout src` discards the changes in src, as does any other name of a file: only names that are
 * always a commit.
 */
const A_COMMIT = {
  max: 1,
  mismatchReason: "may discard changes in files (git switch cannot)",
  pattern: /^(?:-|(?:HEAD|@)(?:[~^@{].*)?)$/,
};
/** `switch` takes no files. */
const ANY_BRANCH = { max: 2, pattern: /^(?![.:])/ };

/** Checking a signature runs `gpg.program`. */
const LOG_SIGNATURE = /%[-+ ]?G/;
const REF_SIGNATURE = /%\([^)]*signature|(?:^|[=-])signature(?::|$)/i;

const SHOWS: CallShape = { options: LOG, forbidden: LOG_SIGNATURE };
const PLAIN: CallShape = {};
const STATUS =
  "-s -b -v -z -u[=] --short --branch --porcelain[=] --long --verbose --untracked-files[=] --ignored[=] " +
  "--show-stash --ahead-behind --no-ahead-behind --renames --no-renames --find-renames[=] --column[=] " +
  "--no-column --ignore-submodules[=]";
const CHECKOUT =
  "-q -d -t -l --quiet --detach --track --no-track --progress --no-progress --guess --no-guess";
const FETCH =
  "-p -t -n -v -q -j= --all --prune --no-prune --tags --no-tags --depth= --deepen= --unshallow " +
  "--shallow-since= --dry-run --verbose --quiet --progress --no-progress --jobs= --multiple --atomic " +
  "--no-recurse-submodules --no-auto-gc --no-auto-maintenance --filter= -4 -6";
/** Leaves out --abort and --skip, which discard changes. */
const MERGE =
  "-n -q -v -m= --ff --no-ff --ff-only --commit --no-commit --squash --no-squash --no-edit --message= --stat " +
  "--no-stat --continue --quit --allow-unrelated-histories --log[=] --quiet --verbose --progress";
const PICK =
  "-n -x -m= --no-commit --no-edit --mainline= --continue --quit --allow-empty " +
  "--keep-redundant-commits --ff --signoff -s";
const PUSH =
  "-u -n -v -q --set-upstream --tags --follow-tags --no-follow-tags --dry-run --verbose --quiet --porcelain " +
  "--progress --no-progress --atomic --all --branches --no-recurse-submodules -4 -6";
const CONFIG =
  "--global --local --system --worktree --show-origin --show-scope --name-only -z --null --includes --no-includes";
/** Sub-commands that only print, whatever their arguments are. */
const PRINTS =
  "describe name-rev merge-base show-ref check-ignore check-attr check-mailmap check-ref-format " +
  "count-objects cherry var version stripspace show-branch show-index get-tar-commit-id rev-parse";

const VERBS: Readonly<Record<string, HarmlessCall>> = {
  "log show whatchanged diff diff-tree diff-index diff-files range-diff rev-list": SHOWS,
  shortlog: {
    options: `${LOG} -n -s -e -w[=] --summary --numbered --email --group=`,
    forbidden: LOG_SIGNATURE,
  },
  reflog: {
    options: LOG,
    forbidden: LOG_SIGNATURE,
    subCommands: { show: SHOWS, "exists list": PLAIN },
  },
  status: { options: STATUS },
  "add stage": {
    options:
      "-A -u -n -v -N -f --all --no-all --update --dry-run --verbose --intent-to-add --force --ignore-errors " +
      "--refresh --renormalize --ignore-removal --sparse",
  },
  commit: {
    options:
      "-a -q -v -s -o -i -m= -F=@ -C= --message= --file=@ --all --quiet --verbose --signoff --no-signoff --amend " +
      "--no-edit --allow-empty --allow-empty-message --dry-run --short --branch --porcelain --long --author= " +
      "--date= --fixup= --squash= --reuse-message= --reset-author --only --include --status --no-status " +
      "--untracked-files[=] -u[=] --no-gpg-sign",
  },
  checkout: [
    { options: CHECKOUT, operands: A_COMMIT },
    // These take no files.
    { options: CHECKOUT, needs: "-d --detach -t --track", operands: { max: 1 } },
    { options: `${CHECKOUT} -b=`, needs: "-b", operands: { max: 1 } },
  ],
  switch: {
    options: `${CHECKOUT} -c= --create= --no-progress`,
    operands: ANY_BRANCH,
  },
  restore: { options: "-S -q -s= --staged --quiet --source=", needs: "-S --staged" },
  branch: {
    options:
      "-a -r -v -l -q -i -d --list --all --remotes --verbose --quiet --delete --show-current --contains[=] " +
      "--no-contains[=] --merged[=] --no-merged[=] --sort= --format= --points-at= --color[=] --no-color " +
      "--column[=] --no-column --ignore-case --abbrev[=] --no-abbrev --track[=] --no-track",
    forbidden: REF_SIGNATURE,
  },
  tag: {
    options:
      "-l -a -i -n[=] -m= -F=@ --list --annotate --message= --file=@ --sort= --contains[=] --no-contains[=] " +
      "--merged[=] --no-merged[=] --points-at[=] --format= --color[=] --column[=] --no-column --ignore-case",
    forbidden: REF_SIGNATURE,
  },
  merge: { options: MERGE },
  rebase: {
    options:
      "-q -v -n -r --continue --quit --onto= --autostash --no-autostash --keep-base --root " +
      "--no-ff --quiet --verbose --stat --no-stat --rebase-merges[=] --no-rebase-merges --fork-point " +
      "--no-fork-point --update-refs --show-current-patch --reapply-cherry-picks",
  },
  "cherry-pick revert": { options: PICK },
  stash: {
    options:
      "-u -a -k -q -m= -S --include-untracked --all --keep-index --no-keep-index --quiet --message= --staged",
    subCommands: {
      "push save": {
        options:
          "-u -a -k -q -m= -S --include-untracked --all --keep-index --no-keep-index --quiet --message= --staged",
      },
      "pop apply": { options: "-q --index --quiet" },
      list: SHOWS,
      show: { options: `${DIFF} -u --include-untracked --only-untracked` },
      branch: PLAIN,
    },
  },
  fetch: { options: FETCH, operands: REMOTES },
  pull: {
    options: `${FETCH} ${MERGE} -r[=true|false|merges] --rebase[=true|false|merges] --no-rebase --autostash --no-autostash`,
    operands: OWN_REMOTES,
  },
  push: [
    { options: PUSH, needs: "-n --dry-run", operands: OWN_REMOTES },
    { options: PUSH, operands: OWN_REMOTES, outwardEffect: "sends commits to other people" },
  ],
  clone: {
    options:
      "-q -v -n -b= -j= --quiet --verbose --progress --depth= --branch= --single-branch --no-single-branch " +
      "--no-tags --shallow-since= --shallow-exclude= --filter= --no-checkout --sparse --jobs= -4 -6",
    operands: {
      ...ADDRESSES,
      pattern: /^(?!\.?\/*$)/,
      max: 2,
      inside: { from: 1 },
      changes: { from: 1 },
    },
  },
  "ls-remote": {
    options:
      "-h -t -q -b --heads --branches --tags --refs --quiet --exit-code --get-url --sort= --symref",
    operands: REMOTES,
  },
  remote: {
    options: "-v --verbose",
    subCommands: { show: { options: "-n" }, "get-url": { options: "--push --all" } },
  },
  "blame annotate": {
    options:
      "-b -l -t -f -n -s -e -p -w -c -L= -M[=] -C[=] --date= --since= --porcelain --line-porcelain --incremental " +
      "--root --show-stats --show-name --show-number --show-email --abbrev= --color-lines --color-by-age " +
      "--first-parent --reverse --ignore-rev= --progress --no-progress",
  },
  grep: {
    options:
      `${DIGITS} -a -I -i -w -v -h -H -E -G -F -P -n -l -L -c -q -o -z -p -W -r -e= -f= -A= -B= -C= -m= --and --or --not ` +
      "--cached --untracked --no-index --no-exclude-standard --exclude-standard --recursive --no-recursive " +
      "--text --ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp " +
      "--fixed-strings --perl-regexp --line-number --column --files-with-matches --name-only " +
      "--files-without-match --count --quiet --only-matching --null --heading --break --show-function " +
      "--function-context --context= --after-context= --before-context= --max-depth= --max-count= --threads= " +
      "--color[=] --no-color --all-match --no-textconv",
  },
  "ls-files": {
    options:
      "-c -d -m -o -i -s -k -t -u -v -f -z -x= -X= --cached --deleted --modified --others --ignored --stage " +
      "--killed --unmerged --directory --no-empty-directory --eol --exclude= --exclude-from= --exclude-standard " +
      "--error-unmatch --full-name --recurse-submodules --abbrev[=] --debug --deduplicate --format= --sparse",
  },
  "ls-tree": {
    options:
      "-d -r -t -l -z --long --name-only --name-status --object-only --abbrev[=] --full-name --full-tree --format=",
  },
  "cat-file": {
    options:
      "-p -t -s -e --batch[=] --batch-check[=] --batch-all-objects --unordered --allow-unknown-type --follow-symlinks",
  },
  "hash-object": { options: "-t= --stdin --no-filters" },
  fsck: {
    options:
      "--full --no-full --dangling --no-dangling --unreachable --connectivity-only --strict --progress " +
      "--no-progress --verbose --name-objects --root --tags --cache --no-reflogs",
  },
  apply: {
    options: "-v -R -p= --check --stat --numstat --summary --verbose --reverse --cached --index",
    needs: "--check --stat --numstat --summary",
  },
  clean: {
    options: "-n -d -x -X -q -e= --dry-run --quiet --exclude=",
    needs: "-n --dry-run",
  },
  config: [
    { options: `${CONFIG} --type= --bool --int`, operands: { max: 1, pattern: /^list$|\./ } },
    {
      options: `${CONFIG} --get --get-all --get-regexp --get-urlmatch --list -l --type= --bool --int --default=`,
      needs: "--get --get-all --get-regexp --get-urlmatch --list -l",
    },
    {
      subCommands: {
        "get list": { options: `${CONFIG} --all --regexp --type= --default= --value= --url=` },
      },
    },
  ],
  init: { options: "-q -b= --quiet --initial-branch=", operands: { ...CHANGED, max: 1 } },
  mv: {
    options: "-v -n -k --verbose --dry-run",
    operands: { ...CHANGED, pattern: NO_SETTINGS, byName: true },
  },
  "symbolic-ref": { options: "-q --quiet --short --no-recurse", operands: { max: 1 } },
  help: { options: "-a -g -c --all --guides --config --verbose --no-verbose" },
  bisect: { subCommands: { log: PLAIN } },
  worktree: { subCommands: { list: { options: "-v -z --verbose --porcelain" } } },
  submodule: {
    options: "--quiet",
    subCommands: { "status summary": { options: "--cached --recursive" } },
  },
  notes: { subCommands: { "list show": PLAIN } },
  "sparse-checkout": { subCommands: { list: PLAIN } },
  archive: { options: "-l --list", needs: "-l --list", operands: NONE },
  [PRINTS]: { allowsAnything: true },
  "for-each-ref": { allowsAnything: true, forbidden: REF_SIGNATURE },
};

export const GIT_CALLS: HarmlessCall = {
  options:
    "-C=@ -P -h -v --version --help --no-pager --no-replace-objects --literal-pathspecs " +
    "--no-optional-locks --icase-pathspecs --glob-pathspecs --html-path --man-path --info-path --exec-path",
  subCommands: VERBS,
  dependsOnFolder: true,
};
