// `pairpty/service` as it is built: the documented examples, real terminals, and a real bridge with a
// person in its room.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod/mini";
import { BridgeProvider, TerminalService } from "../../bridge/service/index.ts";
import type { Agent } from "../../bridge/service/index.ts";
import { toRun } from "../support/examples.ts";
import { readCommand, listProcesses } from "../support/processes.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { SESSION_TOOLS } from "../support/tool-names.ts";
import { has } from "../support/tools.ts";
import { within } from "../support/waiting.ts";

const EXAMPLES = "docs/examples/service";
/** The example that needs a Python shell. */
const PYTHON = "interactive.mjs";

const Asked = z.object({
  id: z.string(),
  agent: z.object({ label: z.string() }),
  command: z.string(),
});

let place: Place;
let product: Product;
/** Where programs are at home: whatever they leave says so. */
let home: Place;

beforeAll(async () => {
  place = new Place();
  home = new Place();
  // A bridge's tools wait by the user's own settings [K14].
  const persistent = { minInterval: 0, settleInterval: 0.4, maxInterval: 5 };
  const config = join(place.root, "config", "pairpty");
  mkdirSync(config, { recursive: true });
  const settings = { terminal: { agentDefaults: { persistent } } };
  writeFileSync(join(config, "config.json"), JSON.stringify(settings));
  product = await place.start();
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

const environment = () => ({ ...place.environment, HOME: home.root, TMPDIR: home.root });
const leftovers = () => listProcesses(home.root).map((pid) => readCommand(pid).join(" "));

/** What each example prints; a text stands for a whole line. */
const PRINTED: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  "execute-command.mjs": [
    /^true 0 \d+\.\S+ done$/m,
    /^Run this unknown command\? .*sleep/m,
    /^Timed out after 0\.5 s/m,
    /^A person denied this/m,
  ],
  "safety.mjs": [
    "rm -rf / is dangerous",
    "my_custom_script.sh is unknown",
    "ls -la is safe",
    "echo $(sudo reboot) is dangerous",
    "ls-all is unknown",
  ],
  "compound.mjs": [
    String.raw`["git","add",".","git","commit","-m","\"test\"","echo","\"failed\""]`,
  ],
  "provider.mjs": ["npm install within 120 s", /"my-provider" has no startInteractiveSession\(\)/],
  "bash-tool.mjs": ["hello", "Exit code: 0", /^true The command is unknown/m, "true"],
  "sessions.mjs": [
    "Terminal Session Started",
    "ID: term-1",
    /^Position: \d+$/m,
    "Server starting",
    "true false",
    "Active Terminal Sessions:",
    "Terminal session term-1 terminated.",
  ],
  [PYTHON]: ["true", "true 0"],
  "state.mjs": ["Bash: 30 s, 5000 characters of output", "30", "safe unknown"],
  "plugin.mjs": [
    "pairpty/service TerminalService",
    "bash terminal_start terminal_continue terminal_stop terminal_list",
    "from the plugin",
  ],
  "bridge.mjs": ["from the room", /^false Command needs approval .*no one is available/m],
};

/** Runs a module of a program that has pairpty installed; returns what it prints. */
async function runModule(source: string): Promise<string> {
  const entry = pathToFileURL("dist/bridge/service.js").href;
  const code = source.replaceAll("pairpty/service", entry);
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    cwd: home.root,
    env: { ...environment(), SHELL: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const printed = await child.stdout.setEncoding("utf8").toArray();
  await ended;
  return printed.join("");
}

test("Y70 Y71 the built package's default export is the service and the plugin", async () => {
  const printed = await runModule(`
    import plugin, { TerminalService } from "pairpty/service";
    const services = [{ tools: [], addTools(tools) { this.tools.push(...tools); } }];
    const app = {
      addServices: (...more) => services.push(...more),
      waitForService: (type, callback) => callback(services.find((one) => one instanceof type)),
    };
    plugin.install(app, { terminal: { agentDefaults: { provider: "local" } } });
    const [chat, terminal] = services;
    console.log(plugin.name, terminal instanceof TerminalService, chat.tools.length);
    const own = new plugin({ agentDefaults: { provider: "local" } });
    const { stdout } = await own.executeCommand("echo hello", [], {}, { id: "a" });
    console.log(stdout.trim(), own.name);
    await Promise.all([own.stop(), terminal.stop()]);`);
  expect(printed.split("\n")).toEqual([
    `pairpty/service true ${SESSION_TOOLS.length}`,
    "hello TerminalService",
    "",
  ]);
  const types = readFileSync("dist/bridge/service/index.d.ts", "utf8");
  expect(types).toContain("TerminalServicePlugin as default");
});

test("T19 an interactive session with an empty $SHELL is bash, or sh where there is none", async () => {
  const printed = await runModule(`
    import { TerminalService } from "pairpty/service";
    const terminal = new TerminalService();
    const provider = terminal.defaultProvider;
    const id = await provider.startInteractiveSession({ timeoutSeconds: 30 });
    await provider.sendInput(id, 'echo "runs:\${0##*/}"; exit\\n');
    for (let from = 0, all = "", isOver = false; !isOver; ) {
      const waits = { minInterval: 0, settleInterval: 0.2, maxInterval: 5 };
      const read = await provider.collectOutput(id, from, waits);
      [from, all, isOver] = [read.newPosition, all + read.output, read.isComplete];
      if (isOver) console.log(/^runs:(\\S+)/m.exec(all)?.[1]);
    }
    await terminal.stop();`);
  expect(printed.trim()).toBe(has("bash") ? "bash" : "sh");
});

test("Y67 X3 docs/service.md shows the examples as they are, one for each section", () => {
  const files = readdirSync(EXAMPLES).toSorted();
  expect(files).toEqual(Object.keys(PRINTED).toSorted());
  const shown = toRun("js").filter(({ page }) => page === "docs/service.md");
  const sources = files.map((name) => readFileSync(join(EXAMPLES, name), "utf8"));
  expect(shown.map(({ text }) => text).toSorted()).toEqual(sources.toSorted());
});

/** Runs the examples that it is told, after a folder, one after the other, each below its name. */
const IN_TURN = [
  "--input-type=module",
  "--eval",
  `const [, folder, ...names] = process.argv;
  process.argv = [process.execPath, "example", folder];
  for (const name of names) {
    console.log("=== " + name);
    await import(new URL("${EXAMPLES}/" + name, "file://" + process.cwd() + "/"));
  }`,
  "--",
];

test("Y67 Y132 every example runs, says what it should, and leaves nothing", async () => {
  await runExamples(Object.keys(PRINTED).filter((name) => name !== PYTHON));
});

test.skipIf(!has("python3"))("Y67 the example with a Python shell runs, too", async () => {
  await runExamples([PYTHON]);
});

async function runExamples(names: readonly string[]): Promise<void> {
  // One program for all of them: most of what each costs is loading the service.
  const { code, text } = await run([...IN_TURN, place.folder, ...names]);
  const texts = new Map(
    text.split(/^=== /m).map((part): [string, string[]] => {
      const [name = "", ...lines] = part.split("\n");
      return [name, lines];
    }),
  );
  for (const name of names) {
    const lines = texts.get(name) ?? expect.unreachable(`${name} was not reached: ${text}`);
    for (const one of PRINTED[name] ?? []) {
      if (typeof one === "string") expect(lines, name).toContain(one);
      else expect(lines.join("\n"), name).toMatch(one);
    }
  }
  expect(code, text).toBe(0);
  expect(leftovers()).toEqual([]);
}

test("Y132 a program that is killed leaves no session, and no pty host", async () => {
  const program = `
    import { TerminalService } from "pairpty/service";
    const terminal = new TerminalService();
    const provider = terminal.defaultProvider;
    const id = await provider.startCommandSession("echo up; exec sleep 600", { timeoutSeconds: 0 });
    await provider.collectOutput(id, 0, { minInterval: 0, settleInterval: 0.3, maxInterval: 5 });
    console.log(id);
    await new Promise(() => setInterval(() => {}, 1000));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: environment(),
    stdio: ["ignore", "pipe", "ignore"],
  });
  await within(once(child.stdout, "data"), "no session", 30_000);
  expect(leftovers()).not.toEqual([]);
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
  await expect.poll(leftovers, { timeout: 15_000 }).toEqual([]);
});

test("Y65 Y134 in a bridge's room a person answers for the program's agent, and sees it by its name", async () => {
  using person = await PlainClient.connect(product.ready.endpoints.peer, product.ready.tokens.edit);
  const asked: string[] = [];
  person.onMessage = ({ type, approval }) => {
    if (type !== "approval:requested") return;
    const { id, agent, command } = z.parse(Asked, approval);
    asked.push(`${agent.label}: ${command}`);
    const answer = command.includes("made-no") ? "deny" : "once";
    const message = { type: "approval:answer", id, answer, reason: "not this one" };
    person.socket.send(JSON.stringify(message));
  };
  for (const name of ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"]) {
    vi.stubEnv(name, place.environment[name]);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  await using service = disposable(new TerminalService());
  const agent: Agent = { id: "a", confirm: () => expect.unreachable("the bridge asks") };
  const provider = new BridgeProvider({ folder: place.folder, name: "the builder" });
  service.registerTerminalProvider("room", provider);
  service.setActiveTerminal("room", agent);

  const yes = await service.executeCommand("ln", ["-s", "x", "made-yes"], {}, agent);
  expect(yes).toMatchObject({ ok: true, exitCode: 0 });
  const no = await service.executeCommand("ln -s x made-no; env", [], {}, agent);
  expect(no).toMatchObject({
    ok: false,
    exitCode: -1,
    error: expect.stringContaining("not this one"),
  });
  expect(readdirSync(place.folder)).toContain("made-yes");
  expect(readdirSync(place.folder)).not.toContain("made-no");
  expect(asked).toEqual(["the builder: ln -s x made-yes", "the builder: ln -s x made-no; env"]);

  const id = await provider.startCommandSession("cat", { timeoutSeconds: 0 });
  await provider.sendInput(id, "typed <Up>\n");
  const wait = { minInterval: 0, settleInterval: 1, maxInterval: 5 };
  const { output, newPosition } = await provider.collectOutput(id, 0, wait);
  expect([output, newPosition]).toEqual(["typed <Up>\ntyped <Up>\n", 24]);
  expect(provider.getSessionStatus(id)).toMatchObject({ running: true, outputLength: 24 });
  await provider.terminateSession(id);
});

function disposable(service: TerminalService): TerminalService & AsyncDisposable {
  return Object.assign(service, { [Symbol.asyncDispose]: () => service.stop() });
}

async function run(args: string[]): Promise<{ code: unknown; text: string }> {
  const child = spawn(process.execPath, args, {
    env: environment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = await within(once(child, "close"), args[0] ?? "", 60_000);
  return { code, text };
}
