// Owns the files that every sandbox of a workspace needs: the filter, an /etc with the user inside
// and the committer, and the folder of the private cache. Each bridge writes them again. Also owns
// the /etc of sandboxes: a folder with copies of named files and files of our own, so that one
// mount replaces dozens.

import {
  mkdirSync,
  writeFileSync,
  copyFileSync,
  cpSync,
  lstatSync,
  statSync,
  readdirSync,
} from "node:fs";
import { join, dirname, relative } from "node:path";
import { findSystemCode } from "../../errors.ts";
import { isInside } from "../../workspace/folders.ts";
import { makeFolder } from "../../workspace/private-file.ts";
import type { Committer } from "../git-files.ts";
import { formatGitconfig, formatGitignore } from "../git-files.ts";
import type { SandboxFacts, SandboxFiles } from "./sandbox-command.ts";
import { toSeccompFilter } from "./seccomp-filter.ts";

export interface SandboxFilesRequest {
  readonly user: SandboxFacts["user"];
  readonly shell: string;
  readonly committer: Committer;
  readonly roots: readonly string[];
  /** Paths that the user makes readable. */
  readonly readable: readonly string[];
  readonly architecture: string;
}

export function writeSandboxFiles(folder: string, request: SandboxFilesRequest): SandboxFiles {
  const { user, shell, committer, roots, readable, architecture } = request;
  makeFolder(folder);
  const [filter, etc, cache] = [
    join(folder, "terminal.bpf"),
    join(folder, "etc"),
    join(folder, "cache"),
  ];
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  writeFileSync(filter, toSeccompFilter(architecture), { mode: 0o600 });
  const own = {
    passwd: formatPasswd(user, shell),
    group: formatGroup(user),
    // The system's config has the lowest priority, and its helpers do not exist inside.
    gitconfig: formatGitconfig(committer, { roots, ignored: "/etc/gitignore" }),
    gitignore: formatGitignore(),
  };
  return { filter, etc, etcMounts: writeEtc(etc, own, readable), cache };
}

/** Returns the text of /etc/passwd: an entry for the user inside, and no names of other users. */
export function formatPasswd(
  { uid, gid, name, home }: SandboxFacts["user"],
  shell: string,
): string {
  const safe = (text: string) => text.replace(/[:\n]/g, "_");
  const own = `${safe(name)}:x:${uid}:${gid}::${safe(home)}:${safe(shell)}\n`;
  return `${own}nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n`;
}

function formatGroup({ gid, name }: SandboxFacts["user"]): string {
  return `${name.replace(/[:\n]/g, "_")}:x:${gid}:\nnogroup:x:65534:\n`;
}

// Owns the /etc of sandboxes: a folder with copies of named files and files of our own, so that one
// mount replaces dozens. Never all of /etc, since root, as which some sandboxes run, can read
// everything there. Files that change while a bridge runs are mounted from the real /etc.

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
function writeEtc(
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
