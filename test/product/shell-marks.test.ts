// The lines of docs/terminals.md that make shells mark their commands, run by the shells themselves.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "../support/product.ts";
import { has } from "../support/tools.ts";
import { Tty } from "../support/tty.ts";

const DOCUMENT = readFileSync(
  join(import.meta.dirname, "..", "..", "docs", "terminals.md"),
  "utf8",
);

const FILES = {
  bash: ".bashrc",
  zsh: ".zshrc",
  fish: ".config/fish/config.fish",
} as const;

/** Returns the lines that the document gives for this shell. */
function linesFor(shell: keyof typeof FILES): string {
  const lines = new RegExp(`\`\`\`${shell}\n([^\`]*133;A[^\`]*)\`\`\``).exec(DOCUMENT)?.[1];
  if (lines === undefined) throw new Error(`docs/terminals.md has no lines for ${shell}`);
  return lines;
}

/** The marks that a shell prints for `false` and `true`, up to the prompt after them. */
async function listMarks(shell: keyof typeof FILES, lines: string): Promise<string[]> {
  await using place = new Place({ XDG_CONFIG_HOME: undefined });
  const file = join(place.root, FILES[shell]);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines}\n`);
  using tty = new Tty(place, [shell, "-i"]);
  // Typed while it starts, so that no prompt has to be waited for.
  for (const line of ["false", "true", "exit"]) tty.type(`${line}\r`);
  await tty.ends();
  const all = [...tty.raw.matchAll(/\]133;([ACD](?:;\d+)?)/g)].map(([, mark = ""]) => mark);
  // Before the first command bash and zsh end one that never was; after `exit` fish ends none.
  return all.slice(all.indexOf("A"), all.indexOf("A") + 7);
}

const COMMANDS = ["A", "C", "D;1", "A", "C", "D;0", "A"];

test.each(["bash", "zsh", "fish"] as const)(
  "WT55 the documented lines make %s mark each command once, with its exit code",
  async (shell) => {
    if (!has(shell)) return;
    expect(await listMarks(shell, linesFor(shell))).toEqual(COMMANDS);
  },
);

test("WT55 in fish 4, which marks by itself, the lines for fish do nothing", async () => {
  if (!has("fish")) return;
  const lines = linesFor("fish");
  expect(lines).toContain("$version");
  const own = await listMarks("fish", "");
  // The version cannot be set: it is written into the lines instead.
  expect(await listMarks("fish", lines.replace("$version", "4.0.2"))).toEqual(own);
});
