// Owns the /etc of sandboxes: a folder of ours with copies of named files, so that one mount stands
// for dozens, and files of our own among them. Never all of /etc: to root, and sandboxes of root are
// it, nothing there is unreadable. What changes while a bridge runs is mounted from the real one.

import {
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  statSync,
  writeFileSync,
  readdirSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { systemCode } from "../../errors.ts";
import { isInside } from "../../workspace/inside.ts";

const ETC = "/etc";

/** Copied once for each run of a bridge. */
const COPIED = `bash.bashrc ca-certificates.conf debian_version default/locale gai.conf host.conf
  inputrc ld.so.conf ld.so.conf.d locale.alias locale.conf localtime magic mailcap manpath.config
  mime.types nsswitch.conf os-release profile profile.d protocols services shells ssl/openssl.cnf
  timezone`.split(/\s+/);

/** As they are at each start: large, or changed by packages and networks. */
const MOUNTED =
  `alternatives ca-certificates crypto-policies fonts hosts java ld.so.cache openssl pki
  python3 resolv.conf ssl/certs terminfo`.split(/\s+/);

/** More than any of these files has; what is larger is something else. */
const MOST_BYTES = 1 << 20;

/**
 * Brings the folder up to date, in place: sandboxes of a bridge of before may still see it. `own` are
 * files by their names. Returns what is mounted into it; of `readable`, what is in /etc.
 */
export function makeEtc(
  folder: string,
  own: Readonly<Record<string, string>>,
  readable: readonly string[],
): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of COPIED) copy(join(ETC, name), join(folder, name));
  for (const [name, text] of Object.entries(own)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
  const asked = readable.flatMap((path) => {
    const name = relative(ETC, path);
    return name !== "" && isInside(path, ETC) ? [name] : [];
  });
  const names = [...MOUNTED, ...javaSettings(), ...asked];
  return names.filter((name) => makeRoom(join(ETC, name), join(folder, name)));
}

function copy(from: string, to: string): void {
  try {
    const stat = statSync(from);
    mkdirSync(dirname(to), { recursive: true });
    if (stat.isDirectory()) cpSync(from, to, { recursive: true, dereference: true });
    else if (stat.isFile() && stat.size <= MOST_BYTES) copyFileSync(from, to);
  } catch (error) {
    // Not on this system, or not for this user.
    if (!["ENOENT", "EACCES", "ENOTDIR"].includes(systemCode(error) ?? "")) throw error;
  }
}

/** Something of the same kind to be mounted on. */
function makeRoom(from: string, to: string): boolean {
  try {
    const isFolder = statSync(from).isDirectory();
    mkdirSync(isFolder ? to : dirname(to), { recursive: true });
    if (!isFolder && lstatSync(to, { throwIfNoEntry: false }) === undefined) writeFileSync(to, "");
    return true;
  } catch (error) {
    if (["ENOENT", "EACCES", "ENOTDIR"].includes(systemCode(error) ?? "")) return false;
    throw error;
  }
}

/** Debian has one folder for each version. */
function javaSettings(): string[] {
  try {
    return readdirSync(ETC).filter((name) => /^java-\d/.test(name));
  } catch (error) {
    if (systemCode(error) === "EACCES") return [];
    throw error;
  }
}
