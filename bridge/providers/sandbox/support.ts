// Owns the files that every sandbox of a workspace needs: the filter, who one is inside, who commits
// are by, and the folder of the private cache. Written anew by each bridge.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../workspace/make-folder.ts";
import { writePrivateFile } from "../../workspace/private-file.ts";
import { GUARDED } from "../guards.ts";
import type { SandboxFacts, Support } from "./facts.ts";
import { terminalFilter } from "./filter.ts";

export interface Committer {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

export interface SupportWish {
  readonly user: SandboxFacts["user"];
  readonly shell: string;
  readonly committer: Committer;
  /** Folders in which git works whoever owns them. */
  readonly roots: readonly string[];
  readonly architecture: string;
}

export function writeSupport(folder: string, wish: SupportWish): Support {
  const { user, shell, committer, roots, architecture } = wish;
  makeFolder(folder);
  const support: Support = {
    filter: join(folder, "terminal.bpf"),
    passwd: join(folder, "passwd"),
    group: join(folder, "group"),
    gitconfig: join(folder, "gitconfig"),
    gitignore: join(folder, "gitignore"),
    cache: join(folder, "cache"),
  };
  mkdirSync(support.cache, { recursive: true, mode: 0o700 });
  writeFileSync(support.filter, terminalFilter(architecture), { mode: 0o600 });
  writePrivateFile(support.passwd, passwdText(user, shell));
  writePrivateFile(support.group, groupText(user));
  writePrivateFile(support.gitconfig, gitconfigText(committer, roots));
  writePrivateFile(support.gitignore, gitignoreText());
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

/** Placeholders are nobody's work; what is tracked is not affected. */
function gitignoreText(): string {
  return GUARDED.map((name) => `/${name}\n`).join("");
}

/** Two lines of the user's own settings: the rest may name helpers, keys and tokens. */
export function gitconfigText({ name, email }: Committer, roots: readonly string[]): string {
  const line = (key: string, value: string | undefined) =>
    value === undefined || value === "" ? [] : [`\t${key} = ${quoted(value)}`];
  const lines = [
    "[user]",
    ...line("name", name),
    ...line("email", email),
    "[safe]",
    ...roots.flatMap((root) => line("directory", root)),
  ];
  return `${lines.join("\n")}\n`;
}

function quoted(value: string): string {
  const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `"${escaped}"`;
}
