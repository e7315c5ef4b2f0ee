// What exists is in the documents that promise to have all of it: the messages of people's sockets, and
// the tools of agents.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { DoorName } from "../../bridge/callers/caller.ts";
import { DOORS } from "../../bridge/callers/caller.ts";

const TOOLS = "bridge/dialects/mcp/tools";

const readSource = (name: string) => readFileSync(join("protocol", name), "utf8");

function allTools(): string[] {
  return readdirSync(TOOLS)
    .flatMap((name) => [...readFileSync(join(TOOLS, name), "utf8").matchAll(/^ +name: "(\w+)"/gm)])
    .map(([, name = ""]) => name);
}

function missingIn(page: string, names: Iterable<string>): string[] {
  const text = readFileSync(page, "utf8");
  return [...new Set(names)].filter((name) => !text.includes(`\`${name}\``)).toSorted();
}

/** What the documents call each door: a new one asks for its words here, and then there. */
const DOOR_WORDS: Readonly<Record<DoorName, string>> = {
  people: "people's sockets",
  http: "HTTP",
  mcp: "`mcp.sock`",
  acp: "`acp.sock`",
  terminal: "`terminal.sock`",
  control: "`bridge.sock`",
};

describe("lists of messages and tools", () => {
  const missingInLine = (page: string, start: string, names: readonly string[]) => {
    const lines = readFileSync(page, "utf8").split("\n");
    const line = lines.find((one) => one.startsWith(start)) ?? expect.unreachable(start);
    return names.filter((name) => !line.includes(name));
  };

  test("X22 U1 the rule and the glossary name every door; the threat model says what each of this machine opens", () => {
    const names = Object.values(DOOR_WORDS);
    expect(missingInLine("docs/spec/callers.md", "- **U1**", names)).toEqual([]);
    expect(missingInLine("docs/glossary.md", "- **door**", names)).toEqual([]);
    const ofThisMachine = Object.entries(DOOR_WORDS).flatMap(([name, words]) =>
      Object.entries(DOORS).some(([door, kind]) => door === name && kind.isLocal) ? [words] : [],
    );
    expect(ofThisMachine).toContain("`bridge.sock`");
    const start = "A process that can read `workspace.json`";
    expect(missingInLine("docs/threat-model.md", start, ofThisMachine)).toEqual([]);
  });

  test("X22 docs/protocol.md has every message of people's sockets", () => {
    const types = readdirSync("protocol")
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .flatMap((name) => [...readSource(name).matchAll(/\btype: (?:z\.literal\()?"(\w+:[\w-]+)"/g)])
      .map(([, type = ""]) => type);
    expect(new Set(types).size).toBeGreaterThan(70);
    expect(missingIn("docs/protocol.md", types)).toEqual([]);
  });

  test("X22 docs/panels.md has every message of panels", () => {
    const types = [...readSource("panel.ts").matchAll(/\btype: (?:z\.literal\()?"(\w+)"/g)];
    expect(types.length).toBeGreaterThan(8);
    expect(
      missingIn(
        "docs/panels.md",
        types.map(([, type = ""]) => type),
      ),
    ).toEqual([]);
  });

  test.each(["bridge", "web"])("X22 %s/README.md says what each of its folders owns", (part) => {
    const folders = readdirSync(part, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `\`${name}/\``);
    const page = readFileSync(join(part, "README.md"), "utf8");
    const firstCells = new Set([...page.matchAll(/^\| (`[^|]+?) +\|/gm)].map(([, cell]) => cell));
    expect(folders.filter((name) => !firstCells.has(name))).toEqual([]);
  });

  const skills = readdirSync("skills").map((name) => join("skills", name, "SKILL.md"));
  test.each(["docs/agents.md", ...skills])("X22 %s has every tool of agents", (page) => {
    expect(allTools()).toContain("bash");
    expect(allTools().length).toBeGreaterThan(10);
    expect(missingIn(page, allTools())).toEqual([]);
  });
});
