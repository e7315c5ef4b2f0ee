// What exists is in the documents that promise to have all of it: the messages of people's sockets, and
// the tools of agents.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const TOOLS = "bridge/dialects/mcp/tools";

const sourceOf = (name: string) => readFileSync(join("protocol", name), "utf8");

function allTools(): string[] {
  return readdirSync(TOOLS)
    .flatMap((name) => [...readFileSync(join(TOOLS, name), "utf8").matchAll(/^ +name: "(\w+)"/gm)])
    .map(([, name = ""]) => name);
}

function missingIn(page: string, names: Iterable<string>): string[] {
  const text = readFileSync(page, "utf8");
  return [...new Set(names)].filter((name) => !text.includes(`\`${name}\``)).toSorted();
}

describe("lists of messages and tools", () => {
  test("X2 docs/protocol.md has every message of people's sockets", () => {
    const types = readdirSync("protocol")
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .flatMap((name) => [...sourceOf(name).matchAll(/\btype: (?:z\.literal\()?"(\w+:[\w-]+)"/g)])
      .map(([, type = ""]) => type);
    expect(new Set(types).size).toBeGreaterThan(70);
    expect(missingIn("docs/protocol.md", types)).toEqual([]);
  });

  test("X2 docs/panels.md has every message of panels", () => {
    const types = [...sourceOf("panel.ts").matchAll(/\btype: (?:z\.literal\()?"(\w+)"/g)];
    expect(types.length).toBeGreaterThan(8);
    expect(
      missingIn(
        "docs/panels.md",
        types.map(([, type = ""]) => type),
      ),
    ).toEqual([]);
  });

  test("X2 docs/architecture.md says what each folder of the bridge and of the page owns", () => {
    const foldersOf = (part: string) =>
      readdirSync(part, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);
    const firstCells = readFileSync("docs/architecture.md", "utf8")
      .split("\n")
      .map((line) => /^\| (`[^|]+?) +\|/.exec(line)?.[1] ?? "")
      .join("\n");
    const named = [
      ...foldersOf("bridge").map((name) => `\`bridge/${name}/\``),
      ...foldersOf("web").map((name) => `\`${name}/\``),
    ];
    expect(named.filter((name) => !firstCells.includes(name))).toEqual([]);
  });

  const skills = readdirSync("skills").map((name) => join("skills", name, "SKILL.md"));
  test.each(["docs/agents.md", ...skills])("X2 %s has every tool of agents", (page) => {
    expect(allTools()).toContain("bash");
    expect(allTools().length).toBeGreaterThan(10);
    expect(missingIn(page, allTools())).toEqual([]);
  });
});
