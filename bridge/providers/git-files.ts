// Owns what git finds of its user behind a wall: two lines of their settings, and the names of
// placeholders, which are nobody's work. The rest of their settings may name helpers, keys and
// tokens.

import type { RunProgram } from "../processes/program.ts";
import { PLACEHOLDERS } from "./guards.ts";

const GIT_MS = 3_000;

export interface Committer {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

/** `git` is undefined where there is none. */
export async function committerOf(run: RunProgram, git: string | undefined): Promise<Committer> {
  const get = async (key: string) => {
    if (git === undefined) return undefined;
    const ran = await run(git, ["config", "--global", "--get", key], GIT_MS);
    return ran.is === "ended" && ran.code === 0 ? ran.out : undefined;
  };
  const [name, email] = await Promise.all([get("user.name"), get("user.email")]);
  return { name, email };
}

export interface GitPlace {
  /** Folders in which git works, whoever owns them. */
  readonly roots: readonly string[];
  /** Where the names of placeholders stand, as seen inside. */
  readonly ignored: string;
}

export function gitconfigText({ name, email }: Committer, { roots, ignored }: GitPlace): string {
  const line = (key: string, value: string | undefined) =>
    value === undefined || value === "" ? [] : [`\t${key} = ${quoted(value)}`];
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

/** What is tracked is not affected. */
export function gitignoreText(): string {
  return PLACEHOLDERS.map((name) => `/${name}\n`).join("");
}

function quoted(value: string): string {
  const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `"${escaped}"`;
}
