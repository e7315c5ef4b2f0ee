// Owns judging where a single word leads: into pairpty's folders, or to paths that only the kernel
// can resolve. Reads no disk. Also owns which files hold secrets (keys, tokens, other users' homes)
// and which programs print their contents. A call that reads one asks a person [A27]. Reads no
// disk.

import { pathsIn, walkedFolders } from "./folder-walkers.ts";
import { isRuntimePath, toAbsolute, findRelationTo } from "./path-text.ts";
import { isBlockedSystemFile, isSafeName, getProgramName } from "./program-names.ts";
import type { Run } from "./rule.ts";
import { couldMatch, isMarked, toReadable, UNKNOWN_VALUE, isGlob } from "./word-marks.ts";

const INTO_OWN_FOLDERS = "a path into pairpty's folders";

const READS_ONLY: ReadonlySet<string> = new Set(
  (
    "cat head tail less more wc ls grep egrep fgrep rg ag ack find fd tree du diff stat file nl jq bat " +
    "cd pwd echo realpath readlink basename dirname md5sum sha256sum test ["
  ).split(" "),
);

/** Programs that print facts about a file and pass on nothing that could be run. */
const PRINTS_FACTS: ReadonlySet<string> = new Set(
  (
    "printf sha1sum sha512sum cksum sum [[ which type whereis command hash man ldd nm strings readelf objdump " +
    "dpkg dpkg-query rpm apt-file getcap lsattr namei git sort uniq awk cmp"
  ).split(" "),
);

/** Judges reading a blocked program (`7z a x /bin/rm`): it may be written under another name. */
export function judgeCopies([program = "", ...args]: readonly string[], run: Run): void {
  if (readsOnly(program) || PRINTS_FACTS.has(getProgramName(program))) return;
  if (args.some(isBlockedSystemFile))
    run.note("dangerous", "may make a blocked program available under another name");
}

export function readsOnly(program: string): boolean {
  return READS_ONLY.has(getProgramName(program));
}

/** Judges a word, or the file of a redirect. */
export function judgePath(word: string, run: Run, reads: boolean): void {
  const relation = run.own.findRelation(word);
  if (relation === "inside" || namesOwnFolder(word, run)) run.noteOwn(INTO_OWN_FOLDERS);
  if (!reads && run.own.isInProgram(word)) run.noteOwn("pairpty's own program");
  if (relation === "around") run.note("unknown", "a folder that contains pairpty's own folders");
  if (isRuntimePath(word))
    run.note("dangerous", `what ${toReadable(word)} means is known only at run time`);
}

const OWN_SOCKET = /\/(?:bridge|host|mcp|terminal|control)\.sock$/;

/**
 * Whether a word may name pairpty's folders: `…/pairpty/workspaces`, `$XDG_STATE_HOME/pairpty`, or
 * `pairpty/…` below an unknown folder.
 */
function namesOwnFolder(word: string, run: Run): boolean {
  if (!word.includes("/")) return false;
  // The name of one of pairpty's sockets, below a folder known only at run time.
  if (OWN_SOCKET.test(word) && isMarked(word)) return true;
  const parts = word
    .slice(word.lastIndexOf("=") + 1)
    .split("/")
    .filter((part, index) => index === 0 || (part !== "" && part !== "."));
  return parts.some((part, index) => {
    if (!couldBeName(part, "pairpty")) return false;
    if (couldBeName(parts[index + 1] ?? "", "workspaces")) return true;
    const before = parts[index - 1];
    if (before === undefined || before === ".") return run.own.isFolderUnknown && parts.length > 1;
    return before.endsWith(UNKNOWN_VALUE);
  });
}

/** Whether a part could be this name; a bare `*` does not count, since it is common and could be anything. */
function couldBeName(part: string, name: string): boolean {
  return /[a-z]/.test(part) && couldMatch(part, name);
}

const FOLDER_OPTION = /^(?:-[A-Za-z]*C|-D|--(?:directory|chdir|prefix|cwd|work-tree|git-dir|dir))$/;
const FOLDER_GIVEN = /^(?:-C|--(?:directory|chdir|prefix|cwd|work-tree|git-dir|dir)=)([\s\S]+)$/;

/** Records folders given by options (`env -C d`, `git -C d`, `tar -C d`): later paths may start there. */
export function enterFolders(argv: readonly string[], run: Run): void {
  const [program = ""] = argv;
  const isTar =
    /^(?:g|bsd)?tar$/.test(getProgramName(program)) && /^[A-Za-z]*C/.test(argv[1] ?? "");
  for (const [index, word] of argv.entries()) {
    if (index === 0) continue;
    const folder = FOLDER_OPTION.test(word) ? argv[index + 1] : FOLDER_GIVEN.exec(word)?.[1];
    if (folder !== undefined) enterFolder(folder, run);
    else if (isTar && index > 1) enterFolder(word, run);
  }
}

/** Records a folder that the script enters, by `cd` or by an option. */
export function enterFolder(folder: string, run: Run): void {
  if (!run.own.enter(folder)) run.note("dangerous", "changes the folder too often to check");
  if (/^\/+(?:proc|dev\/+fd)(?:\/|$)/.test(folder))
    run.note("dangerous", "a folder known only at run time");
}

const READERS: ReadonlySet<string> = new Set("egrep fgrep rg ag ack sed".split(" "));
const OWN_VARIABLE = /^(?:-[a-zA-Z]*|--unset=|--[a-z-]*=)?PAIRPTY_\w*(?:$|\+?=)/;

/** Judges changes of pairpty's variables (`env -u PAIRPTY_X`), which mark a terminal as pairpty's. */
export function judgeOwnVariables(argv: readonly string[], run: Run): void {
  const [program = ""] = argv;
  if (isSafeName(program) || READERS.has(getProgramName(program))) return;
  if (argv.some((word) => OWN_VARIABLE.test(word)))
    run.noteOwn("a variable that belongs to pairpty");
  if (argv.some((word) => /^BASH_(?:ALIASES|CMDS)\b|^expand_aliases$/.test(word)))
    run.note("dangerous", "changes which commands names run");
}

/** Folders in a home where programs keep credentials. */
const FOLDERS = (
  ".ssh .aws .azure .gnupg .kube .docker .password-store .config/gh .config/gcloud .config/hub .config/op " +
  ".config/doctl .config/sops .config/rclone .config/google-chrome .config/chromium .mozilla .terraform.d " +
  ".config/github-copilot .local/share/keyrings Library/Keychains"
).split(" ");
const FOLDER = new RegExp(
  `/(?:${FOLDERS.map((folder) => folder.replaceAll(".", "\\.")).join("|")})/`,
);
/** Names of files that hold secrets, in any folder. */
const FILE = new RegExp(
  [
    "\\.env(?:\\.(?!(?:example|sample|template|dist|defaults?|schema)$)[\\w.-]+)?",
    "\\.(?:npmrc|netrc|pgpass|my\\.cnf|pypirc|git-credentials|htpasswd|vault-token|yarnrc\\.yml|s3cfg|boto)",
    "\\.envrc|\\.claude\\.json|\\.credentials\\.json|auth\\.json|oauth_creds\\.json",
    "\\.\\w+_history",
    "id_(?:rsa|dsa|ecdsa|ed25519)\\w*",
    "[^/]+\\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|tfstate)",
    "credentials(?:\\.(?:json|toml|ya?ml|db))?",
    "(?:service-account|client_secret)[\\w.-]*\\.json",
    "secrets?\\.(?:json|ya?ml|toml|env)",
  ]
    .map((name) => `(?:${name})`)
    .join("|")
    .replace(/^(.*)$/s, "^(?:$1)$"),
);
const SYSTEM =
  /^\/(?:etc\/(?:g?shadow-?|sudoers|ssl\/private|krb5\.keytab)|proc\/[^/]+\/environ)(?:\/|$)/;
/** Settings of builders in a home, which hold the passwords of registries. */
const BUILDER_SETTINGS = /\/\.(?:m2\/settings(?:-security)?\.xml|gradle\/gradle\.properties)$/;
/** Files in these folders that are public. */
const PUBLIC_FILES = /\.pub$|\/known_hosts$/;
/** Names that a pattern such as `.e*` or `id_*` could match. */
const USUAL_SECRETS = [".env", ".npmrc", ".netrc", "id_rsa", "id_ed25519"];
const ANY_HOME = /^\/(?:home|Users)\/[^/]+|^\/root(?=\/|$)/;

/** Programs that print names of files, never their contents. */
const SHOWS_NAMES: ReadonlySet<string> = new Set(
  (
    "ls dir echo printf find fd tree du test [ [[ pwd touch mkdir which type basename dirname realpath readlink stat " +
    "true false : npm npx yarn bun bunx pnpm tsc vitest id uname hostname ps netstat help"
  ).split(" "),
);
const GIT_SHOWS = /^(?:diff|show|log|blame|annotate|grep|cat-file|difftool|archive)$/;

/** Adds a finding for each file among the arguments that may hold secrets and that the program would print. */
export function judgeSecrets(argv: readonly string[], run: Run): void {
  if (!run.lists.asksForOutward) return;
  const [program = "", ...args] = argv;
  const name = getProgramName(program);
  if (SHOWS_NAMES.has(name)) return;
  if (name === "git" && !args.some((word) => GIT_SHOWS.test(word))) return;
  for (const path of pathsIn(name, args)) judgeSecretFile(path, run);
  if (walkedFolders(name, args).some((folder) => holdsSecrets(folder, run)))
    noteSecret("a folder that holds secrets", run);
}

/** Judges one file that a program or a redirect reads. */
export function judgeSecretFile(word: string, run: Run): void {
  if (!run.lists.asksForOutward) return;
  // `HEAD:.env`, `@.env`, `--from-file=.env`
  const pieces = /[=:@]/.test(word) ? [word, ...word.split(/[=:@]/)] : [word];
  const path = pieces.find((piece) => isSecret(piece, run));
  if (path !== undefined) noteSecret(toReadable(path), run);
}

/** Adds the finding. The level stays `safe`: `terminal.safeCommands` does not look at files. */
function noteSecret(what: string, run: Run): void {
  run.note("unknown", `${what} may hold secrets`, { level: "safe", kind: "reads secrets" });
}

function isSecret(path: string, run: Run): boolean {
  if (path === "" || /[\s{}()]/.test(path)) return false;
  const place = toAbsolutePath(path, run);
  if (PUBLIC_FILES.test(place)) return false;
  const name = place.slice(place.lastIndexOf("/") + 1);
  if (FILE.test(name) || FOLDER.test(`${place}/`) || SYSTEM.test(place)) return true;
  if (BUILDER_SETTINGS.test(place)) return true;
  if (isGlob(path)) {
    if (/^\.?\w/.test(name) && USUAL_SECRETS.some((usual) => couldMatch(name, usual))) return true;
    const { home } = run.own;
    if (home && FOLDERS.some((folder) => findRelationTo(place, `${home}/${folder}`) === "inside"))
      return true;
  }
  return isInOtherHome(path, place, run);
}

/** Whether the path is in another user's home (`/home/bob/x`, `~bob/x`) and the command does not run there. */
function isInOtherHome(path: string, place: string, { own, cwd }: Run): boolean {
  if (/^~[^/]/.test(path)) return true;
  const home = ANY_HOME.exec(place)?.[0];
  if (home === undefined || own.home === home) return false;
  return ANY_HOME.exec(cwd ?? "")?.[0] !== home && own.home !== undefined;
}

/** Whether a folder contains a home, or is a system folder with secrets. */
function holdsSecrets(folder: string, run: Run): boolean {
  if (/^~\/?$/.test(folder)) return true;
  const place = toAbsolutePath(folder, run);
  const homes = run.own.home === undefined ? ["/root"] : [run.own.home, "/root"];
  return (
    place === "/etc" ||
    homes.some((home) => `${home}/`.startsWith(place === "/" ? "/" : `${place}/`))
  );
}

function toAbsolutePath(path: string, { own, cwd }: Run): string {
  const whole = path.replace(/^~(?=\/|$)/, own.home ?? "~");
  return toAbsolute(whole, cwd ?? "/-") ?? whole;
}
