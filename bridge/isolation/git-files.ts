// Owns what git sees of the user's settings in a sandbox: name and email, and the names of placeholders
// to ignore. The other settings may name helpers, keys and tokens.

import type { RunProgram } from "../processes/run-program.ts";
import { PLACEHOLDER_NAMES } from "./guards.ts";

const GIT_MS = 3_000;

export interface Committer {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

/** Resolves the user's name and email; `git` is undefined if it is not installed. */
export async function readCommitter(run: RunProgram, git: string | undefined): Promise<Committer> {
  const get = async (key: string) => {
    if (git === undefined) return undefined;
    const ran = await run(git, ["config", "--global", "--get", key], GIT_MS);
    return ran.is === "ended" && ran.code === 0 ? ran.firstLine : undefined;
  };
  const [name, email] = await Promise.all([get("user.name"), get("user.email")]);
  return { name, email };
}

export interface GitConfigOptions {
  /** Folders where git works even if another user owns them. */
  readonly roots: readonly string[];
  /** The file with the names of placeholders, as seen inside. */
  readonly ignored: string;
}

export function formatGitconfig(
  { name, email }: Committer,
  { roots, ignored }: GitConfigOptions,
): string {
  const line = (key: string, value: string | undefined) =>
    value === undefined || value === "" ? [] : [`\t${key} = ${quoteValue(value)}`];
  const lines = [
    "[user]",
    ...line("name", name),
    ...line("email", email),
    "[core]",
    ...line("excludesFile", ignored),
    "[safe]",
    ...roots.flatMap((root) => line("directory", root)),
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns the text of the ignore file; tracked files are not affected. */
export function formatGitignore(): string {
  return PLACEHOLDER_NAMES.map((name) => `/${name}\n`).join("");
}

function quoteValue(value: string): string {
  const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `"${escaped}"`;
}
