// What the documents show is what the product does: every example is run, or stands in
// test/support/examples.ts with the reason why it is not.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Block } from "../support/documents.ts";
import { firstLine, interrupt, runScript } from "../support/documents.ts";
import { Everyday, localAgent, RELAY_ELSEWHERE, RUNS, STARTS, STOPS } from "../support/everyday.ts";
import {
  BLOCKS,
  ELSEWHERE,
  fits,
  findKind,
  listed,
  NOT_RUN,
  RUN,
  toRun,
  where,
} from "../support/examples.ts";
import { Tty } from "../support/tty.ts";
import { OwnRelay, RELAY_KEY } from "../support/own-relay.ts";
import { Place } from "../support/product.ts";
import { StandInTunnel } from "../support/stand-in-tunnel.ts";
import { has } from "../support/tools.ts";
import { missingFrom, toShape } from "../support/shown.ts";

/** For all: a relay of one's own, and a folder where pairpty runs. */
let relayPlace: Place;
let relay: OwnRelay;
let everyday: Everyday;
beforeAll(async () => {
  relayPlace = new Place({ RELAY_KEY });
  relay = await OwnRelay.start(relayPlace);
  everyday = new Everyday(relay.ready.relay);
});
afterAll(async () => {
  await everyday[Symbol.asyncDispose]();
  await relay.stop();
  await relayPlace[Symbol.asyncDispose]();
});

test("X1 every example is run by a test, or listed with the reason why it is not", () => {
  const unaccounted = BLOCKS.filter((block) => !RUN.has(block.language) && !listed(block));
  expect(unaccounted.map(where), "neither run nor listed").toEqual([]);
  for (const entry of [...ELSEWHERE, ...NOT_RUN]) {
    if (entry.has === "") continue;
    const found = BLOCKS.filter((block) => fits(entry, block));
    expect(found.map(where), `${entry.page}: ${entry.has}`).toHaveLength(1);
  }
  for (const { by: file, has: words } of ELSEWHERE) {
    const source = readFileSync(join("test/product", file), "utf8");
    expect(source, file).toContain(JSON.stringify(words).slice(1, -1));
  }
});

const isStop = (text: string) => text.trim() === STOPS;
const lastLine = (text: string) => text.trim().split("\n").at(-1) ?? "";

test("X1 every start that is shown starts, and stops", async () => {
  const blocks = toRun("sh").filter(({ text }) => STARTS.test(lastLine(text)));
  expect(blocks.length).toBeGreaterThan(5);
  using tunnel = new StandInTunnel(["calm-river"]);
  await using place = new Place({ PATH: `${tunnel.bin}:${process.env["PATH"]}` });
  mkdirSync(join(place.root, "project"));
  const banners = toRun("console").flatMap((block) => dialogue(block));
  const elsewhere = new Set([RUNS, ...banners.map(({ command }) => command)]);
  // Several pages show the same one.
  const scripts = new Map<string, Block>();
  for (const block of blocks) {
    // What is shown with its banner starts, and stops, for X4; one start is the everyday one's.
    if (elsewhere.has(block.text.trim())) continue;
    const script = block.text
      .replaceAll(RELAY_ELSEWHERE, relay.ready.relay)
      // A question needs somebody.
      .replace(/--tunnel\b/, "--tunnel --yes")
      .replace(/(?<=PAIRPTY_RELAY_KEY=)'.*'/, JSON.stringify(RELAY_KEY));
    scripts.set(script, block);
  }
  // What is not about a relay needs none of its own: the one with a banner starts one.
  const shared = { PAIRPTY_RELAY: relay.ready.relay, PAIRPTY_RELAY_KEY: RELAY_KEY };
  for (const [script, block] of scripts) {
    const child = runScript(place, script, /--(?:relay|tunnel)/.test(script) ? {} : shared);
    const line = await firstLine(child).catch((error: unknown) => {
      throw new Error(where(block), { cause: error });
    });
    expect(line, where(block)).toMatch(/^(?:edit https?:\/\/\S+\/w\/\S+#pp2?_|\{"event":"ready")/);
    expect(await interrupt(child), where(block)).toBe(0);
  }
}, 90_000);

const others = toRun("sh").filter(({ text }) => !STARTS.test(lastLine(text)) && !isStop(text));
const usesCurl = ({ text }: Block) => text.includes("curl ");

test("X1 every other command that is shown does what is said", async () => {
  const blocks = others.filter((block) => !usesCurl(block));
  expect(blocks.length).toBeGreaterThan(10);
  for (const block of blocks) await runBlock(block);
}, 120_000);

test.skipIf(!has("curl"))("X1 what is shown with curl does what is said", async () => {
  const blocks = others.filter(usesCurl);
  expect(blocks.length).toBeGreaterThan(0);
  for (const block of blocks) await runBlock(block);
});

async function runBlock(block: Block): Promise<void> {
  try {
    await everyday.run(block.text);
  } catch (error) {
    throw new Error(where(block), { cause: error });
  }
}

test("X4 output that is shown has the form of what is printed", async () => {
  for (const block of toRun("console")) {
    for (const { command, shown } of dialogue(block)) {
      if (command === "pairpty audit") await somethingToLog();
      const printed = STARTS.test(command)
        ? await readBanner(command)
        : await everyday.print(command);
      const missing = missingFrom(printed, shown);
      expect(missing, `${where(block)} ${command}\nprinted:\n${printed}`).toBeUndefined();
    }
  }
}, 90_000);

test("X4 the comparison tells what is another shape", () => {
  const shape = toShape("pty-af1ee2c73cad  user   110×24  shell    /home/ada/project");
  expect(shape.test("pty-000000000001 user 80×24 shell /tmp/x")).toBe(true);
  expect(shape.test("pty-000000000001 agent 80×24 shell /tmp/x")).toBe(false);
  expect(toShape("link       up for 2 s").test("link up for 11 s")).toBe(true);
  expect(missingFrom("a\nb\nc", "a\nc")).toBeUndefined();
  expect(missingFrom("a\nb\nc", "c\na")).toBe("a");
});

/** An agent that tries something, and hands over something else. */
async function somethingToLog(): Promise<void> {
  await everyday.running();
  const client = await localAgent(everyday.place, "pairpty", ["mcp"]);
  const call = (name: string, args: Record<string, unknown>) =>
    client.callTool({ name, arguments: args });
  await call("spawn_background_terminal", { cwd: ".", command: ["rm", "x"] });
  const made = await call("spawn_background_terminal", { cwd: ".", command: ["sleep", "60"] });
  const [{ text }] = made.content as [{ text: string }];
  await call("promote_terminal", { terminalId: JSON.parse(text).id });
  await client.close();
}

/** The commands of a `console` block, each with what it shows. */
function dialogue({ text }: Block): { command: string; shown: string }[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = "", ...shown] = part.split("\n");
      return { command, shown: shown.join("\n") };
    });
}

/** On a terminal, as a person sees it; in a folder of its own. */
async function readBanner(command: string): Promise<string> {
  const npx = { npm_command: "exec", npm_lifecycle_event: "npx", npm_lifecycle_script: "pairpty" };
  await using place = new Place(command.startsWith("npx ") ? npx : {});
  const window = Tty.pairpty(
    place,
    command
      .replace(/^npx pairpty\s*/, "")
      .split(" ")
      .filter(Boolean),
  );
  await window.shows("q quit");
  const { text } = window;
  window.type("q");
  expect(await window.ends()).toBe(0);
  return text;
}

test("X1 every JSON that is shown is a configuration that fits, or a message that is sent", async () => {
  const kinds = toRun("json").map((block) => ({ block, kind: findKind(block) }));
  const of = (wanted: string) =>
    kinds.filter(({ kind }) => kind === wanted).map(({ block }) => block);
  expect(of("unknown").map(where)).toEqual([]);
  const { place } = everyday;
  const files = of("settings").map((block, index) => {
    const file = join(place.root, `settings-${index}.json`);
    writeFileSync(file, block.text);
    return { file, block };
  });
  expect(files.length).toBeGreaterThan(10);
  for (const { file, block } of files) {
    const checked = await place.run(["config", "check", file]);
    expect([checked.code, checked.stderr], where(block)).toEqual([0, expect.any(String)]);
  }
  const clients = of("client");
  expect(clients.length).toBeGreaterThan(0);
  await everyday.running();
  for (const block of clients) await asAgent(place, JSON.parse(block.text));
});

/** Starts what an agent's program would start, and asks it for its tools. */
async function asAgent(
  place: Place,
  { mcpServers }: { mcpServers: Record<string, { command: string; args: string[] }> },
): Promise<void> {
  for (const { command, args } of Object.values(mcpServers)) {
    const real = args.map((word) => word.replace("/path/to/project", place.folder));
    const client = await localAgent(place, command, real);
    expect((await client.listTools()).tools.length).toBeGreaterThan(4);
    await client.close();
  }
}

// Last: others need what runs.
test("X1 the command that is shown to stop it all does so", async () => {
  const blocks = toRun("sh").filter(({ text }) => isStop(text));
  expect(blocks.length).toBeGreaterThan(0);
  for (const block of blocks) await runBlock(block);
});
