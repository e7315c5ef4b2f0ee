// Owns which files hold secrets (keys, tokens, other users' homes) and which programs print their
// contents. A call that reads one asks a person [A27]. Reads no disk.

import { pathsIn, walkedFolders } from "./folder-walkers.ts";
import { couldMatch, isGlob, toReadable } from "./word-marks.ts";
import { getProgramName } from "./program-names.ts";
import { toAbsolute, findRelationTo } from "./path-text.ts";
import type { Run } from "./rule.ts";

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
