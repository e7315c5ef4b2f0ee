// Owns what git finds of its user behind a wall: two lines of their settings, and the names of
// placeholders, which are nobody's work. The rest of their settings may name helpers, keys and
// tokens.

import { join } from "node:path";
import type { RunProgram } from "../processes/program.ts";
import { makeFolder } from "../workspace/make-folder.ts";
import { writePrivateFile } from "../workspace/private-file.ts";
import { PLACEHOLDERS } from "./guards.ts";

const GIT_MS = 3_000;

export interface Committer {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

export interface GitFiles {
  /** `~/.gitconfig` */
  readonly config: string;
  /** `~/.config/git/ignore` */
  readonly ignore: string;
}

/** `git` is undefined where there is none. `roots` are folders in which it works, whoever owns them. */
export async function writeGitFiles(
  folder: string,
  roots: readonly string[],
  run: RunProgram,
  git: string | undefined,
): Promise<GitFiles> {
  const get = async (key: string) => {
    if (git === undefined) return undefined;
    const ran = await run(git, ["config", "--global", "--get", key], GIT_MS);
    return ran.is === "ended" && ran.code === 0 ? ran.out : undefined;
  };
  const [name, email] = await Promise.all([get("user.name"), get("user.email")]);
  makeFolder(folder);
  const files = { config: join(folder, "gitconfig"), ignore: join(folder, "gitignore") };
  writePrivateFile(files.config, gitconfigText({ name, email }, roots));
  // What is tracked is not affected.
  writePrivateFile(files.ignore, PLACEHOLDERS.map((one) => `/${one}\n`).join(""));
  return files;
}

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
