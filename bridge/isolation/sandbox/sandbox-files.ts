// Owns the files that every sandbox of a workspace needs: the filter, an /etc with the user inside and
// the committer, and the folder of the private cache. Each bridge writes them again.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../workspace/make-folder.ts";
import type { Committer } from "../git-files.ts";
import { formatGitconfig, formatGitignore } from "../git-files.ts";
import { writeEtc } from "./sandbox-etc.ts";
import type { SandboxFacts, SandboxFiles } from "./sandbox-facts.ts";
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
