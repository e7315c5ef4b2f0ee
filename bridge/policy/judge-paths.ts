// Owns judging where a single word leads: into pairpty's folders, or to paths that only the kernel can
// resolve. Reads no disk.

import { couldMatch, isMarked, toReadable, UNKNOWN_VALUE } from "./word-marks.ts";
import { isBlockedSystemFile, isSafeName, getProgramName } from "./program-names.ts";
import { isRuntimePath } from "./path-text.ts";
import type { Run } from "./rule.ts";

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
