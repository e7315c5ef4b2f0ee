// Help, suggestions and completion: the real scripts in the real shells.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SETTINGS } from "../../bridge/config/schema.ts";
import type { Product } from "../support/product.ts";
import { CLI, Place } from "../support/product.ts";
import { SeedClient } from "../support/seed-client.ts";

const has = (shell: string) => spawnSync("sh", ["-c", `command -v ${shell}`]).status === 0;

/** A place where `pairpty` is on the path. */
function placeWithProgram(): Place {
  const place = new Place({ TERM: "xterm" });
  const bin = join(place.root, "bin");
  mkdirSync(bin);
  const program = join(bin, "pairpty");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  chmodSync(program, 0o755);
  place.environment["PATH"] = `${bin}:${process.env["PATH"]}`;
  return place;
}

let place: Place;
let product: Product;

beforeAll(async () => {
  place = placeWithProgram();
  product = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

async function grantIds(): Promise<string[]> {
  const grants = JSON.parse((await place.run(["grants", "--json"])).stdout) as { id: string }[];
  return grants.map(({ id }) => id).toSorted();
}

/** What bash would offer for a line that ends where the cursor is. */
function offeredByBash(where: Place, script: string, ...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(" ");
  const code = `${script}
    COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}
    _pairpty; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const told = execFileSync("bash", ["--norc", "-c", code], {
    cwd: where.folder,
    env: where.environment,
    encoding: "utf8",
  });
  return told.split("\n").filter(Boolean).toSorted();
}

test("C10 bash completes verbs, flags, choices, folders, and the ids of what there is", async () => {
  const { stdout: script, stderr } = await place.run(["completion", "bash"]);
  expect(stderr).toBe("");
  const offered = (...words: string[]) => offeredByBash(place, script, "pairpty", ...words);
  expect(offered("")).toEqual(expect.arrayContaining(["share", "start", "status"]));
  expect(offered("")).not.toContain("complete-ids");
  expect(offered("sta")).toEqual(["start", "status"]);
  expect(offered("--rel")).toEqual(["--relay"]);
  expect(offered("--ver")).toEqual(["--version"]);
  expect(offered("share", "--role", "")).toEqual(["agent", "edit", "view"]);
  expect(offered("share", "--role", "=", "v")).toEqual(["view"]);
  expect(offered("share", "--role", "=")).toEqual(["agent", "edit", "view"]);
  expect(offered("share", "--rel")).toEqual([]);
  expect(offered("connect", "c")).toEqual(["claude-code", "codex", "cursor"]);
  expect(offered("policy", "")).toEqual(["check"]);
  expect(offered("policy", "check", "--js")).toEqual(["--json"]);
  expect(offered("help", "rev")).toEqual(["revoke"]);
  expect(offered("completion", "")).toEqual(["bash", "fish", "zsh"]);
  expect(offered("config", "explain", "agents.")).toEqual(
    SETTINGS.map(({ key }) => key)
      .filter((key) => key.startsWith("agents."))
      .toSorted(),
  );
  expect(offered("logs", "--level", "")).toEqual(["debug", "error", "info", "warn"]);
  expect(offered("shell", "--", "pairp")).toEqual(["pairpty"]);
  const { id } = await product.open();
  expect(offered("attach", "")).toEqual(["1"]);
  expect(offered("close", "1")).toEqual(["1"]);
  expect(offered("close", id.slice(0, 6))).toEqual([id]);
  mkdirSync(join(place.folder, "inner"));
  writeFileSync(join(place.folder, "inside.txt"), "");
  expect(offered("ls", "--cwd", "in")).toEqual(["inner"]);
  mkdirSync(join(place.folder, "two words"));
  expect(offered("ls", "--cwd", "tw")).toEqual(["two words"]);
  expect(offered("--config", "in")).toEqual(["inner", "inside.txt"]);
  expect(offered("config", "check", "in")).toEqual(["inner", "inside.txt"]);
  expect(offered("revoke", "")).toEqual(await grantIds());
  await using nothingRuns = placeWithProgram();
  expect(offeredByBash(nothingRuns, script, "pairpty", "revoke", "")).toEqual([]);
});

/** A person who types half a verb, Tab, half an id, Tab; looking at the line in between, as zsh wants. */
async function typed(shell: string[], setup: string): Promise<void> {
  const [grant = ""] = await grantIds();
  const { id } = await product.open({ command: shell, cols: 200 });
  using client = await SeedClient.connect(product.ready.endpoints.peer, product.ready.tokens.edit);
  client.attach(id);
  await client.ofType("pty:attached");
  client.type(id, `${setup}; PS1='at'$'ready> '\n`);
  await client.shows(id, /atready> /);
  client.type(id, "pairpty rev");
  await client.shows(id, /pairpty rev$/);
  client.type(id, "\t");
  await client.shows(id, /rev.*oke/);
  client.type(id, grant.slice(0, 5));
  // Zsh redraws the blank before it, with escapes in between.
  await client.shows(id, new RegExp(`${grant.slice(1, 5)}$`));
  client.type(id, "\t");
  await client.shows(id, new RegExp(`${grant.slice(1, 5)}.*${grant.slice(5)}`));
  client.type(id, "\u0015pairpty config explain agents.roo");
  await client.shows(id, /explain agents\.roo$/);
  client.type(id, "\t");
  await client.shows(id, /agents\.roo.*ts/);
}

test("C10 Tab in a real bash completes the verb, the id and the key", async () => {
  await typed(["bash", "--norc", "-i"], `eval "$(pairpty completion bash)"`);
});

test.skipIf(!has("zsh"))(
  "C10 Tab in a real zsh completes the verb, the id and the key",
  async () => {
    const setup = `autoload -U compinit; compinit -u -D; eval "$(pairpty completion zsh)"`;
    await typed(["zsh", "-f", "-i"], setup);
  },
);

test.skipIf(!has("fish"))("C10 fish offers verbs, flags, choices and ids", async () => {
  const offered = (line: string): string[] =>
    execFileSync(
      "fish",
      ["--no-config", "-c", `pairpty completion fish | source; complete -C '${line}'`],
      { cwd: place.folder, env: place.environment, encoding: "utf8" },
    )
      .split("\n")
      .filter(Boolean)
      .map((offer) => offer.split("\t")[0] ?? "")
      .toSorted();
  expect(offered("pairpty sta")).toEqual(["start", "status"]);
  expect(offered("pairpty share --role ")).toEqual(["agent", "edit", "view"]);
  expect(offered("pairpty share --rel")).toEqual([]);
  expect(offered("pairpty --rel")).toEqual(["--relay"]);
  expect(offered("pairpty policy check --js")).toEqual(["--json"]);
  expect(offered("pairpty connect co")).toEqual(["codex"]);
  expect(offered("pairpty config explain workspace")).toEqual(["workspace"]);
  expect(offered("pairpty config explain ")).toEqual(SETTINGS.map(({ key }) => key).toSorted());
  expect(offered("pairpty logs --level e")).toEqual(["error"]);
  expect(offered("pairpty revoke ")).toEqual(await grantIds());
  const { id } = await product.open();
  const { stdout: listed } = await place.run(["ls", "--json"]);
  const open = JSON.parse(listed) as { id: string; number: number }[];
  expect(offered("pairpty close ")).toEqual(open.map(({ number }) => String(number)).toSorted());
  expect(offered(`pairpty close ${id.slice(0, 9)}`)).toEqual([id]);
});

test("C9 every verb's help starts with examples, and the examples' flags exist", async () => {
  const { stdout: all } = await place.run(["help"]);
  const [, groups = ""] = /(Everyday:[^]*?)\n`/.exec(all) ?? [];
  const verbs = [...groups.matchAll(/^  ([a-z][\w-]+) .*/gm)].map(([, verb]) => verb ?? "");
  expect(verbs).toEqual(expect.arrayContaining(["start", "share", "policy", "completion", "help"]));
  expect(verbs).not.toContain("complete-ids");
  const told = [...verbs, "policy check", "config trust"].map(async (path) => {
    const { stdout } = await place.run(["help", ...path.split(" ")]);
    const [, examples = "", grammar = ""] = /Examples:\n([^]*?)Usage:([^]*)$/.exec(stdout) ?? [];
    expect(examples, `an example of ${path} in bridge/cli/help/examples.ts`).toContain("pairpty");
    for (const flag of examples.match(/--[\w-]+/g) ?? []) expect(grammar, path).toContain(flag);
  });
  await Promise.all(told);
});

test("C9 help by verb, and a misspelt word is told what was meant", async () => {
  const long = await place.run(["share", "--help"]);
  expect([long.code, long.stderr]).toEqual([0, ""]);
  expect(await place.run(["help", "share"])).toEqual(long);
  expect((await place.run(["help", "policy", "check"])).stdout).toContain("policy check");
  expect((await place.run(["help", "shell"])).stdout).toMatch(/\(default:\s+ctrl-\\\)/);
  expect((await place.run(["help"])).stdout).toMatch(
    /Everyday:[^]*start[^]*Agents:[^]*connect[^]*Administration:[^]*revoke/,
  );
  const cases: [string[], RegExp][] = [
    [["--relai", "x"], /Did you mean --relay\?/],
    [["audit", "--folow"], /Did you mean --follow\?[^]*`pairpty help audit`/],
    [["ls", "--relay", "x"], /it belongs to: pairpty start --relay/],
    [["satus"], /Did you mean "status"\?/],
    [["help", "revok"], /Did you mean "revoke"\?/],
    [["xyzzy"], /The commands are: start, share/],
    [["policy", "chek"], /chek/],
    [["connect", "clod"], /^error client 'clod' is invalid\. Allowed choices are claude-code/],
  ];
  const told = cases.map(async ([args, said]) => {
    const { code, stdout, stderr } = await place.ask(args);
    expect([code, stdout], args.join(" ")).toEqual([2, ""]);
    expect(stderr, args.join(" ")).toMatch(said);
  });
  await Promise.all(told);
});

test("C33 log is unknown, and told to be audit or logs", async () => {
  for (const args of [["log"], ["log", "--json"], ["help", "log"]]) {
    const { code, stdout, stderr } = await place.ask(args);
    expect([code, stdout], args.join(" ")).toEqual([2, ""]);
    expect(stderr).toMatch(/unknown command "log"[^]*"audit".*"logs"/);
  }
});

test("C32 started by npx, help, hints and errors say so", async () => {
  await using started = new Place();
  Object.assign(started.environment, {
    npm_command: "exec",
    npm_lifecycle_event: "npx",
    npm_lifecycle_script: "'pairpty'",
  });
  const cases: [string[], RegExp][] = [
    [
      ["help"],
      /npx pairpty share --label Ada[^]*Usage: npx pairpty[^]*`npx pairpty help <command>`/,
    ],
    [["help", "policy", "check"], /\| npx pairpty policy check[^]*Usage: npx pairpty policy check/],
    [["help", "close"], /from `npx pairpty\s+ls`/],
    [["status"], /Start it with `npx pairpty`/],
    [["revoke", "x"], /`npx pairpty help revoke`/],
    [["ls", "--relay", "x"], /it belongs to: npx pairpty start --relay/],
  ];
  for (const [args, said] of cases) {
    const { stdout, stderr } = await started.run(args);
    expect(stdout + stderr, args.join(" ")).toMatch(said);
    expect(stdout + stderr, args.join(" ")).not.toMatch(/`pairpty|Usage: pairpty/);
  }
  const { stdout } = await started.run(["completion", "bash"]);
  expect(stdout).not.toContain("npx");
});
