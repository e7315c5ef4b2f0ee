// Owns the files that every sandbox of a workspace needs: the filter, who one is inside, and the
// folder of the private cache. Written anew by each bridge.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../workspace/make-folder.ts";
import { writePrivateFile } from "../../workspace/private-file.ts";
import type { SandboxFacts, Support } from "./facts.ts";
import { terminalFilter } from "./filter.ts";

export interface SupportWish {
  readonly user: SandboxFacts["user"];
  readonly shell: string;
  readonly architecture: string;
}

export function writeSupport(folder: string, wish: SupportWish): Support {
  const { user, shell, architecture } = wish;
  makeFolder(folder);
  const support: Support = {
    filter: join(folder, "terminal.bpf"),
    passwd: join(folder, "passwd"),
    group: join(folder, "group"),
    cache: join(folder, "cache"),
  };
  mkdirSync(support.cache, { recursive: true, mode: 0o700 });
  writeFileSync(support.filter, terminalFilter(architecture), { mode: 0o600 });
  writePrivateFile(support.passwd, passwdText(user, shell));
  writePrivateFile(support.group, groupText(user));
  return support;
}

/** Programs that ask who runs them must get an answer, and no names of other people. */
export function passwdText({ uid, gid, name, home }: SandboxFacts["user"], shell: string): string {
  const safe = (text: string) => text.replace(/[:\n]/g, "_");
  const own = `${safe(name)}:x:${uid}:${gid}::${safe(home)}:${safe(shell)}\n`;
  return `${own}nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n`;
}

function groupText({ gid, name }: SandboxFacts["user"]): string {
  return `${name.replace(/[:\n]/g, "_")}:x:${gid}:\nnogroup:x:65534:\n`;
}
