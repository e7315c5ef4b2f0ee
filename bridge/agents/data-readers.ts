// Owns which programs treat their input as data, so that typed text or standard input runs nothing.
// Any other program may run it: an editor, a pager, an interpreter. Pure.

import { listCommands } from "../policy/command-form.ts";

/** Agents' commands get no pager or editor, and must not change their terminal's modes. */
const READS_DATA: ReadonlySet<string> = new Set(
  "cat head tail wc sort uniq tr cut nl rev tac fold fmt expand paste comm cmp diff grep egrep fgrep rg jq column base64 md5sum sha1sum sha256sum sha512sum cksum od hexdump xxd strings awk gawk mawk nawk sleep true false : echo printf pwd ls cd test [ date whoami id uname basename dirname seq stat file du df".split(
    " ",
  ),
);

const AWK = /^[gmn]?awk$/;
/** Options that read the awk program from a file, maybe from its input; `-F` and `-v` do not. */
const AWK_FILE = /^-(?:[^Fv]|-)/;

/** Whether every program of a line is known to treat its input as data. */
export function readsOnlyData(line: string): boolean {
  return listCommands(line)?.every(isDataReader) === true;
}

/** Whether one program with its arguments is known to treat its input as data. */
export function isDataReader([program = "", ...args]: readonly string[]): boolean {
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (!READS_DATA.has(name)) return false;
  return !AWK.test(name) || !args.some((word) => AWK_FILE.test(word));
}
