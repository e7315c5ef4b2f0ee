// Configuration through the built command line: who wins, what a project's file can do, trust.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { jsonSchema, formatReference } from "../../bridge/config/reference.ts";
import { DOWN, ENTER, INTERRUPT, Tty } from "../support/tty.ts";
import { Place } from "../support/product.ts";

/** Nobody listens there (it is the discard service's port): on a terminal the links are shown all the same. */
const OUT_OF_REACH = { PAIRPTY_RELAY: "http://127.0.0.1:9" };

const PROMPT = "Trust this file, as it is now?";

class Settings extends Place {
  readonly userFile = join(this.root, "config", "pairpty", "config.json");
  readonly projectFile = join(this.folder, "pairpty.config.json");

  user(values: object): void {
    mkdirSync(join(this.root, "config", "pairpty"), { recursive: true });
    writeFileSync(this.userFile, JSON.stringify(values));
  }

  project(values: object): void {
    writeFileSync(this.projectFile, JSON.stringify(values));
  }

  async explain(key: string, extra: NodeJS.ProcessEnv = {}, ...args: string[]) {
    const { stdout, stderr } = await this.run(["config", "explain", key, "--json", ...args], extra);
    if (stdout === "") throw new Error(stderr);
    const { value, from, layers } = JSON.parse(stdout);
    const leftOut = layers.some((layer: { leftOut: string | null }) => layer.leftOut !== null);
    return [value, from, leftOut];
  }
}

test("K1 K19 flags over environment over the user's file over the project's over the default", async () => {
  await using place = new Settings();
  expect(await place.explain("logLevel")).toEqual(["warn", "default", false]);
  place.project({ logLevel: "debug" });
  expect(await place.explain("logLevel")).toEqual(["debug", "project", false]);
  place.user({ logLevel: "info" });
  expect(await place.explain("logLevel")).toEqual(["info", "user", false]);
  const variable = { PAIRPTY_LOG_LEVEL: "error" };
  expect(await place.explain("logLevel", variable)).toEqual(["error", "environment", false]);
  const named = join(place.root, "named.json");
  writeFileSync(named, JSON.stringify({ logLevel: "silent" }));
  expect(await place.explain("logLevel", {}, "--config", named)).toEqual(["silent", "user", false]);
  expect(await place.explain("logLevel", { PAIRPTY_CONFIG: named })).toEqual([
    "silent",
    "user",
    false,
  ]);
});

test("K1 K12 what is no port or no time is refused with where it was asked for", async () => {
  await using place = new Settings();
  const elsewhere = await place.ask(["--json", "--shell", "/no/shell"], { PAIRPTY_PORT: "70000" });
  expect(elsewhere.stderr).toContain("PAIRPTY_PORT: 70000 is not a port");
  const wrong = await place.ask(["--grace", "1s"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("10s to 24h")]);
});

test("K1 K2 K3 K12 K20 K21 K22 K23 a start takes its settings from the user's file, and flags win; where no one can be asked, a project's file counts as far as it tightens, until trusted", async () => {
  await using place = new Settings();
  place.user({ grace: "77s", logLevel: "silent" });
  place.project({
    workspace: "from-the-project",
    shell: "/bin/no-such-shell",
    agents: { idle: "1m", roots: ["/"] },
  });
  const product = await place.start("--shell", "/bin/sh", "--log-level", "warn");
  expect(place.readCommand(product.hostPid()), "K12 grace").toContain("77000");
  const [relay = 0] = place.processesRunning("embedded-relay.js");
  expect(place.readCommand(relay), "K12 grace").toContain("77000");
  expect(product.ready.workspace).not.toBe("from-the-project");
  // Not its shell: the flag overrides that, and asks for no trust.
  expect(product.stderr()).toMatch(
    /pairpty\.config\.json is not trusted: pairpty ignored its workspace, agents\.roots\. .*pairpty config trust`?\.?\n/,
  );
  const shown = Tty.pairpty(place, ["--no-open"]);
  expect(await shown.ends(), "K4 a running bridge is shown without a question").toBe(0);
  expect(shown.text).toContain("/w/");
  expect(shown.text).not.toContain(PROMPT);
  await product.stop();
  expect(await place.explain("agents.idle")).toEqual(["1m", "project", false]);
  expect(await place.explain("agents.roots")).toEqual([[], "default", true]);

  const asked = await place.run(["config", "trust"]);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("add --yes")]);
  const inside = await place.run(["config", "trust", "--yes"], { PAIRPTY_TERMINAL: "pty-x@y" });
  expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining("inside a pairpty")]);
  expect(await place.explain("agents.roots")).toEqual([[], "default", true]);

  const given = await place.run(["config", "trust", "--yes"]);
  expect([given.code, given.stderr]).toEqual([0, expect.stringContaining("Trusted until")]);
  const kept = join(place.stateFolder(), "trusted-config.json");
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  // A start with it is in "K4 K3 going on without".
  expect(await place.explain("workspace")).toEqual(["from-the-project", "project", false]);
  expect(await place.explain("agents.roots")).toEqual([["/"], "project", false]);
});

test("K3 trust is for the file as it was, and can be taken back", async () => {
  await using place = new Settings();
  place.project({ agents: { roots: ["/"] } });
  expect((await place.run(["config", "trust", "--yes"])).code).toBe(0);
  const kept = join(place.stateFolder(), "trusted-config.json");
  place.project({ agents: { roots: ["/tmp"] } });
  expect(await place.explain("agents.roots")).toEqual([[], "default", true]);
  place.project({ agents: { roots: ["/"] } });
  expect(await place.explain("agents.roots")).toEqual([["/"], "project", false]);
  expect((await place.run(["config", "trust", "--forget"])).code).toBe(0);
  expect(await place.explain("agents.roots")).toEqual([[], "default", true]);
  expect(existsSync(kept)).toBe(false);
});

test("K3 a file that only tightens needs no trust", async () => {
  await using place = new Settings();
  place.project({ agents: { idle: "1m", roots: [] }, open: false, logLevel: "error" });
  const none = await place.run(["config", "trust"]);
  expect([none.code, none.stderr]).toEqual([0, expect.stringContaining("needs no trust")]);
});

test("K4 on a terminal it asks, shows what is wanted with its characters escaped, and can be stopped", async () => {
  await using place = new Settings();
  const odd = "/tmp/a\u202eb\u0007";
  place.project({ workspace: "from-the-project", agents: { roots: [odd] }, logLevel: "error" });
  const stopped = Tty.pairpty(place, ["--no-open"]);
  await stopped.shows(PROMPT);
  expect(stopped.text).toContain(place.projectFile);
  expect(stopped.text).toMatch(/workspace\s+"from-the-project"/);
  expect(stopped.text).toContain(String.raw`["/tmp/a\u{202e}b\u0007"]`);
  expect(stopped.text).not.toMatch(/logLevel/);
  stopped.type(`${DOWN}${DOWN}${ENTER}`);
  expect(await stopped.ends()).toBe(0);
  expect(stopped.text).toContain("Nothing was started");

  const interrupted = Tty.pairpty(place, ["--no-open"]);
  await interrupted.shows(PROMPT);
  interrupted.type(INTERRUPT);
  expect(await interrupted.ends()).toBe(0);
});

test("K4 K3 K23 C122 going on without starts without, and trust is asked for once", async () => {
  await using place = new Settings(OUT_OF_REACH);
  place.project({ workspace: "from-the-project", agents: { roots: ["/no-such-folder"] } });
  const without = Tty.pairpty(place, ["--no-open"]);
  await without.shows(PROMPT);
  without.type(ENTER);
  await without.shows("/w/");
  expect(without.text).not.toContain("/w/from-the-project");
  without.type(INTERRUPT);
  expect(await without.ends()).toBe(0);
  expect(existsSync(join(place.stateFolder(), "trusted-config.json"))).toBe(false);

  place.project({ workspace: "from-the-project", logLevel: "error" });
  // Inside a pairpty terminal nothing asks, and nothing starts [C6].
  const inside = Tty.pairpty(place, ["--no-open"], {
    environment: { PAIRPTY_TERMINAL: "pty-x@y" },
  });
  await inside.shows("pairpty does not start inside a pairpty terminal");
  expect(await inside.ends()).toBe(2);
  expect(inside.text).not.toContain(PROMPT);
  expect(inside.text).not.toContain("/w/");

  const trusted = Tty.pairpty(place, ["--no-open"]);
  await trusted.shows(PROMPT);
  trusted.type(`${DOWN}${ENTER}`);
  await trusted.shows("/w/from-the-project#");
  trusted.type(INTERRUPT);
  expect(await trusted.ends()).toBe(0);

  expect(await place.explain("workspace")).toEqual(["from-the-project", "project", false]);
  const again = await place.run(["config", "trust"]);
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("trusted")]);
});

test("K5 K6 K8 K24 start and check tell every mistake of every layer at once, and exit 2", async () => {
  await using place = new Settings();
  place.user({ relai: "x", relayKey: "hunter2hunter2" });
  place.project({ port: "80", agents: { idle: "1h" } });
  const extra = { PAIRPTY_OPEN: "maybe", PAIRPTY_RELA: "x" };
  const expected = [
    `${place.userFile}: relai: unknown setting`,
    'Did you mean "relay"?',
    `${place.userFile}: relayKey: a relay's key does not belong in a file`,
    `${place.projectFile}: port: "80" is not a port`,
    "Write a whole number from 1 to 65535, or 0 for any free one.",
    `${place.projectFile}: agents.idle: "1h" is not a time`,
    'PAIRPTY_OPEN: "maybe" is not true or false',
  ];
  for (const args of [["config", "check"], ["start"]]) {
    const { code, stdout, stderr } = await place.ask(args, extra);
    expect([code, stdout]).toEqual([2, ""]);
    for (const words of expected) expect(stderr).toContain(words);
    expect(stderr).not.toContain("hunter2");
  }
  const json = await place.run(["config", "check", "--json"], extra);
  expect(json.code).toBe(2);
  expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, problems: { length: 5 } });
  const warned = await place.run(["config", "check", place.projectFile], extra);
  expect([warned.code, warned.stderr]).toEqual([2, expect.not.stringContaining("relai")]);
});

test("K5 what is not on this machine is told with where it was asked for", async () => {
  await using place = new Settings();
  place.user({ shell: "./no-shell", agents: { roots: ["../nowhere", "~"] } });
  const { code, stderr } = await place.run(["config", "check"], {
    PAIRPTY_RELAY: "http://x.example",
  });
  expect(code).toBe(2);
  const beside = join(place.root, "config", "pairpty", "no-shell");
  expect(stderr).toContain(`${place.userFile}: shell: Command not found: ${beside}`);
  expect(stderr).toContain(`${place.userFile}: agents.roots: Folder not found`);
  expect(stderr).toContain("PAIRPTY_RELAY: http://x.example is not encrypted");
});

test("K26 a variable that means nothing is warned of once, with the one that was meant", async () => {
  await using place = new Settings();
  const { code, stderr } = await place.run(["config", "check"], { PAIRPTY_RELA: "x" });
  expect(code).toBe(0);
  expect(stderr).toBe("warning unknown variable PAIRPTY_RELA: did you mean PAIRPTY_RELAY?\n");
});

test("K7 a link, a pipe, a folder, a huge file and one that all may write are errors", async () => {
  await using place = new Settings();
  const target = join(place.root, "target.json");
  writeFileSync(target, "{}");
  const cases: [() => void, RegExp][] = [
    [() => symlinkSync(target, place.projectFile), /a symbolic link/],
    [() => void spawnSync("/bin/sh", ["-c", `mkfifo ${place.projectFile}`]), /not a file/],
    [() => mkdirSync(place.projectFile), /not a file/],
    [() => writeFileSync(place.projectFile, " ".repeat((64 << 10) + 1)), /larger than 64 KiB/],
    [() => writeFileSync(place.projectFile, "\u0000{"), /not JSON/],
  ];
  for (const [make, words] of cases) {
    make();
    const { code, stderr } = await place.ask(["start"]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
    expect(stderr).toContain(place.projectFile);
    rmSync(place.projectFile, { recursive: true });
  }
  writeFileSync(place.projectFile, `{}${" ".repeat((64 << 10) - 2)}`);
  expect((await place.run(["config", "check"])).code).toBe(0);
  place.user({});
  chmodSync(place.userFile, 0o666);
  const open = await place.ask(["start"]);
  expect([open.code, open.stderr]).toEqual([
    2,
    expect.stringContaining("everyone on this machine"),
  ]);
});

test("K9 path, check and explain tell people and programs what counts, and make nothing", async () => {
  await using place = new Settings();
  const path = await place.run(["config", "path"]);
  expect(path.stdout).toMatch(
    /^user file\s+\S+config\.json\s+missing\nproject file\s+\S+\s+missing\n/,
  );
  place.user({ agents: { idle: "2m" } });
  place.project({ shell: "/bin/sh", logLevel: "info" });
  const json = JSON.parse((await place.run(["config", "path", "--json"])).stdout);
  expect(json).toMatchObject({
    user: { path: place.userFile, exists: true },
    project: { path: place.projectFile, exists: true, trusted: false },
  });
  expect(existsSync(json.schema.path)).toBe(true);
  const check = await place.run(["config", "check"]);
  expect([check.code, check.stdout]).toEqual([
    0,
    `ok: ${place.userFile}, ${place.projectFile}, environment\nused only when trusted: shell\n`,
  ]);
  const all = await place.run(["config", "explain"]);
  expect(all.stdout).toMatch(/^agents\.idle\s+"2m"\s+user file, \S+config\.json$/m);
  expect(all.stdout).toMatch(/^shell\s+\$SHELL, else bash, else sh\s+default\s+.*not trusted$/m);
  const one = await place.run(["config", "explain", "shell"]);
  expect(one.stdout).toMatch(/project file\s+\S+\s+"\/bin\/sh"\s+ignored: not trusted/);
  expect(one.stdout).toMatch(/➜ {2}default/);
  const wrong = await place.run(["config", "explain", "agents.idel"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('"agents.idle"?')]);
  expect(place.states()).toEqual([]);
});

test("K10 the editors' schema and the reference are what the table gives", async () => {
  expect(readFileSync("docs/configuration.md", "utf8"), "node scripts/config-docs.mjs").toBe(
    formatReference(),
  );
  const shipped = JSON.parse(readFileSync("dist/config.schema.json", "utf8"));
  expect(shipped).toEqual(JSON.parse(JSON.stringify(jsonSchema())));
  expect(shipped.properties.agents.properties.idle).toMatchObject({
    type: "string",
    default: "5m",
  });

  await using place = new Settings();
  const examples = Array.from(
    formatReference().matchAll(/```json\n([^]*?)```/g),
    ([, text]) => text ?? "",
  );
  expect(examples.length).toBeGreaterThan(10);
  await Promise.all(
    examples.map(async (example, index) => {
      const file = join(place.root, `example-${index}.json`);
      writeFileSync(file, example);
      const { code, stderr } = await place.run(["config", "check", file]);
      expect([code, stderr], example).toEqual([0, ""]);
    }),
  );
  const variables = Object.fromEntries(
    Array.from(formatReference().matchAll(/^export (\w+)=(.*)$/gm), ([, name, value]) => [
      name,
      value,
    ]),
  );
  expect(await place.explain("agents.idle", variables)).toEqual(["90s", "environment", false]);
});

test("K11 K14 K15 K28 K29 policy check knows the lists of both files, as far as they may, and that agents cannot touch the user's settings", async () => {
  await using place = new Settings();
  const ask = async (...lines: string[]) => {
    const questions = lines.map((shell) => `${JSON.stringify({ shell })}\n`).join("");
    const { stdout } = await place.run(["policy", "check"], {}, questions);
    return stdout.split("\n", lines.length).map((line) => JSON.parse(line).verdict);
  };
  // What a project's file may not is in bridge/config/merge-layers.test.ts.
  place.project({ terminal: { safeCommands: ["git"] } });
  const touching = `echo '{}' > ${place.userFile}`;
  expect(await ask("ls", "make", "git log", touching)).toEqual([
    "unknown",
    "unknown",
    "safe",
    "blocked",
  ]);
  place.user({ terminal: { safeCommands: ["make", "git"], dangerousCommands: ["git log"] } });
  expect(await ask("ls", "make", "git log")).toEqual(["unknown", "safe", "dangerous"]);

  place.user({ terminal: { agentDefaults: { provider: "box" } } });
  const { code, stderr } = await place.run(["config", "check"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('there is no provider "box"')]);
});
