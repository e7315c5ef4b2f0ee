// Owns the /etc of sandboxes: a folder with copies of named files and files of our own, so that one
// mount replaces dozens. Never all of /etc, since root, as which some sandboxes run, can read
// everything there. Files that change while a bridge runs are mounted from the real /etc.

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
import { findSystemCode } from "../../errors.ts";
import { isInside } from "../../workspace/is-inside.ts";

const ETC = "/etc";

/** Copied once for each run of a bridge. */
const COPIED = `bash.bashrc ca-certificates.conf debian_version default/locale gai.conf host.conf
  inputrc ld.so.conf ld.so.conf.d locale.alias locale.conf localtime magic mailcap manpath.config
  mime.types nsswitch.conf os-release profile profile.d protocols services shells ssl/openssl.cnf
  timezone`.split(/\s+/);

/** Mounted at each start: large files, or files that packages and networks change. */
const MOUNTED =
  `alternatives ca-certificates crypto-policies fonts hosts java ld.so.cache openssl pki
  python3 resolv.conf ssl/certs terminfo`.split(/\s+/);

/** More than any of these files has; a larger file is something else. */
const MAX_BYTES = 1 << 20;

/**
 * Updates the folder in place, since sandboxes of an earlier bridge may still see it. `own` are files
 * by name. Returns the mounts into it; of `readable` those in /etc.
 */
export function writeEtc(
  folder: string,
  own: Readonly<Record<string, string>>,
  readable: readonly string[],
): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of COPIED) copyFile(join(ETC, name), join(folder, name));
  for (const [name, text] of Object.entries(own)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
  const inEtc = readable.flatMap((path) => {
    const name = relative(ETC, path);
    return name !== "" && isInside(path, ETC) ? [name] : [];
  });
  const names = [...MOUNTED, ...listJavaSettings(), ...inEtc];
  return names.filter((name) => makeMountTarget(join(ETC, name), join(folder, name)));
}

function copyFile(from: string, to: string): void {
  try {
    const stat = statSync(from);
    mkdirSync(dirname(to), { recursive: true });
    if (stat.isDirectory()) cpSync(from, to, { recursive: true, dereference: true });
    else if (stat.isFile() && stat.size <= MAX_BYTES) copyFileSync(from, to);
  } catch (error) {
    // Does not exist on this system, or is not readable for this user.
    if (!["ENOENT", "EACCES", "ENOTDIR"].includes(findSystemCode(error) ?? "")) throw error;
  }
}

/** Creates a mount target of the same kind. */
function makeMountTarget(from: string, to: string): boolean {
  try {
    const isFolder = statSync(from).isDirectory();
    mkdirSync(isFolder ? to : dirname(to), { recursive: true });
    if (!isFolder && lstatSync(to, { throwIfNoEntry: false }) === undefined) writeFileSync(to, "");
    return true;
  } catch (error) {
    if (["ENOENT", "EACCES", "ENOTDIR"].includes(findSystemCode(error) ?? "")) return false;
    throw error;
  }
}

/** Returns the settings of Java: Debian has one folder for each version. */
function listJavaSettings(): string[] {
  try {
    return readdirSync(ETC).filter((name) => /^java-\d/.test(name));
  } catch (error) {
    if (findSystemCode(error) === "EACCES") return [];
    throw error;
  }
}
