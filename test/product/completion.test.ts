// Help, suggestions and completion: the real scripts in the real shells.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { SETTINGS } from "../../bridge/config/schema.ts";
import type { Product } from "../support/product.ts";
import { CLI, Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { Verbs } from "../support/verbs.ts";

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

/** What bash would offer for each line, which ends where the cursor is; all asked of one bash. */
function offeredByBash(where: Place, script: string, lines: string[][]): string[][] {
  const asked = lines.map((words) => {
    const line = ["pairpty", ...words].map((word) => `'${word}'`).join(" ");
    return `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; COMPREPLY=()
      _pairpty; printf '%s\\n' "\${COMPREPLY[@]}" "${END}"`;
  });
  const output = execFileSync("bash", ["--norc", "-c", [script, ...asked].join("\n")], {
    cwd: where.folder,
    env: where.environment,
    encoding: "utf8",
  });
  return answersIn(output);
}

/** Behind the offers for each line. */
const END = "-- end --";

const answersIn = (output: string): string[][] =>
  output
    .split(`${END}\n`)
    .slice(0, -1)
    .map((answer) => answer.split("\n").filter(Boolean).toSorted());

/** Lines with what is to be offered for each. */
type Table = [string[], unknown][];

test("C10 C85 bash completes verbs, flags, choices, folders, and the ids of what there is", async () => {
  const { stdout: script, stderr } = await place.run(["completion", "bash"]);
  expect(stderr).toBe("");
  const { id } = await product.open();
  mkdirSync(join(place.folder, "inner"));
  writeFileSync(join(place.folder, "inside.txt"), "");
  mkdirSync(join(place.folder, "two words"));
  const keys = SETTINGS.map(({ key }) => key).filter((key) => key.startsWith("agents."));
  const table: Table = [
    [[""], expect.arrayContaining(["share", "start", "status"])],
    [[""], expect.not.arrayContaining(["complete-ids"])],
    [["sta"], ["start", "status"]],
    [["--rel"], ["--relay"]],
    [["--ver"], ["--version"]],
    [
      ["share", "--role", ""],
      ["agent", "edit", "view"],
    ],
    [["share", "--role", "=", "v"], ["view"]],
    [
      ["share", "--role", "="],
      ["agent", "edit", "view"],
    ],
    [["share", "--rel"], []],
    [
      ["connect", "c"],
      ["claude-code", "claude-desktop", "cline", "codex", "continue", "cursor"],
    ],
    [["policy", ""], ["check"]],
    [["policy", "check", "--js"], ["--json"]],
    [["help", "rev"], ["revoke"]],
    [
      ["completion", ""],
      ["bash", "fish", "zsh"],
    ],
    [["config", "explain", "agents."], keys.toSorted()],
    [
      ["logs", "--level", ""],
      ["debug", "error", "info", "warn"],
    ],
    [["shell", "--", "pairp"], ["pairpty"]],
    [["attach", ""], ["1"]],
    [["close", "1"], ["1"]],
    [["close", id.slice(0, 6)], [id]],
    [["ls", "--cwd", "in"], ["inner"]],
    [["ls", "--cwd", "tw"], ["two words"]],
    [
      ["--config", "in"],
      ["inner", "inside.txt"],
    ],
    [
      ["config", "check", "in"],
      ["inner", "inside.txt"],
    ],
    [["revoke", ""], await grantIds()],
  ];
  const lines = table.map(([line]) => line);
  const output = offeredByBash(place, script, lines);
  expect(lines.map((line, at) => [line, output[at]])).toEqual(table);
  await using nothingRuns = placeWithProgram();
  expect(offeredByBash(nothingRuns, script, [["revoke", ""]])).toEqual([[]]);
});

/** A person who types half a verb, Tab, half an id, Tab; looking at the line in between, as zsh wants. */
async function typed(shell: string[], setup: string): Promise<void> {
  const [grant = ""] = await grantIds();
  const { id } = await product.open({ command: shell, cols: 200 });
  using client = await PlainClient.connect(product.ready.endpoints.peer, product.ready.tokens.edit);
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
  const { id } = await product.open();
  const { stdout: listed } = await place.run(["ls", "--json"]);
  const open = JSON.parse(listed) as { id: string; number: number }[];
  const table: [string, unknown][] = [
    ["sta", ["start", "status"]],
    ["share --role ", ["agent", "edit", "view"]],
    ["share --rel", []],
    ["--rel", ["--relay"]],
    ["policy check --js", ["--json"]],
    ["connect co", ["codex", "continue"]],
    ["config explain workspace", ["workspace"]],
    ["config explain ", SETTINGS.map(({ key }) => key).toSorted()],
    ["logs --level e", ["error"]],
    ["revoke ", await grantIds()],
    ["close ", open.map(({ number }) => String(number)).toSorted()],
    [`close ${id.slice(0, 9)}`, [id]],
  ];
  const lines = table.map(([line]) => line);
  const asked = lines.map((line) => `complete -C 'pairpty ${line}'; echo '${END}'`);
  const script = ["pairpty completion fish | source", ...asked].join("\n");
  const output = execFileSync("fish", ["--no-config", "-c", script], {
    cwd: place.folder,
    env: place.environment,
    encoding: "utf8",
  });
  // Each offer has its description behind a tab.
  const answers = answersIn(output.replaceAll(/\t.*$/gm, ""));
  expect(lines.map((line, at) => [line, answers[at]])).toEqual(table);
});

test("C9 every verb's help starts with examples, and the examples' flags exist", async () => {
  const { stdout: all } = await place.run(["help"]);
  const [, groups = ""] = /(Everyday:[^]*?)\n`/.exec(all) ?? [];
  const verbs = [...groups.matchAll(/^  ([a-z][\w-]+) .*/gm)].map(([, verb]) => verb ?? "");
  expect(verbs).toEqual(expect.arrayContaining(["start", "share", "policy", "completion", "help"]));
  expect(verbs).not.toContain("complete-ids");
  const output = [...verbs, "policy check", "config trust"].map(async (path) => {
    const { stdout } = await place.run(["help", ...path.split(" ")]);
    const [, examples = "", grammar = ""] = /Examples:\n([^]*?)Usage:([^]*)$/.exec(stdout) ?? [];
    expect(examples, `an example of ${path} in bridge/cli/help/examples.ts`).toContain("pairpty");
    for (const flag of examples.match(/--[\w-]+/g) ?? []) expect(grammar, path).toContain(flag);
  });
  await Promise.all(output);
});

test("C9 C63 help by verb, and a misspelt word is told what was meant", async () => {
  const long = await place.run(["share", "--help"]);
  expect([long.code, long.stderr]).toEqual([0, ""]);
  expect(await place.run(["help", "share", "--cwd", "x"])).toEqual(long);
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
  const output = cases.map(async ([args, pattern]) => {
    const { code, stdout, stderr } = await place.ask(args);
    expect([code, stdout], args.join(" ")).toEqual([2, ""]);
    expect(stderr, args.join(" ")).toMatch(pattern);
  });
  await Promise.all(output);
});

test("C33 log is unknown, and told to be audit or logs", async () => {
  for (const args of [["log"], ["log", "--json"], ["help", "log"]]) {
    const { code, stdout, stderr } = await place.ask(args);
    expect([code, stdout], args.join(" ")).toEqual([2, ""]);
    expect(stderr).toMatch(/unknown command "log"[^]*"audit".*"logs"/);
  }
});

test("C32 C88 started by npx, help, hints and errors say so", async () => {
  await using nowhere = new Place();
  const byNpx = {
    npm_command: "exec",
    npm_lifecycle_event: "npx",
    npm_lifecycle_script: "'pairpty'",
  };
  for (const [name, value] of Object.entries(byNpx)) vi.stubEnv(name, value);
  // A thread of its own, which is loaded as npx would load it.
  const started = new Verbs(CLI);
  const environment = { ...nowhere.environment, ...byNpx };
  const run = async (args: string[]) =>
    await started.run({ args, cwd: nowhere.folder, environment });
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
  for (const [args, pattern] of cases) {
    const { stdout, stderr } = await run(args);
    expect(stdout + stderr, args.join(" ")).toMatch(pattern);
    expect(stdout + stderr, args.join(" ")).not.toMatch(/`pairpty|Usage: pairpty/);
  }
  const { stdout } = await run(["completion", "bash"]);
  expect(stdout).not.toContain("npx");
  vi.unstubAllEnvs();
});
