// The first screen and its keys, on a real terminal.

import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask } from "../../bridge/doors/control/client.ts";
import type { Approval } from "../../protocol/approval.ts";
import { agentAt } from "../support/agent.ts";
import { CuttableProxy } from "../support/cuttable.ts";
import { CLI, Place } from "../support/product.ts";
import { TestRelay } from "../support/relay.ts";
import { SeedClient } from "../support/seed-client.ts";
import type { TtyOptions } from "../support/tty.ts";
import { BARE, Tty } from "../support/tty.ts";
import { until } from "../support/waiting.ts";

const LINK = /http:\/\/[\w.:/-]+#pp_\w{10}_[\w-]+/;
const ESCAPE = "\u001B";
const KEYS = /i invite · o open · c copy · m agent · h help · q quit/;

const KEY = "key";
/** A relay that others reach, for all that need one. */
let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.start({ loopback: false, relayKey: KEY });
});
afterAll(() => relay.stop());

/** The way to it: not one of the names that mean this machine alone. */
async function farAway(): Promise<{ cable: CuttableProxy; args: string[] }> {
  const cable = await CuttableProxy.start(relay.port, "127.0.0.2");
  return { cable, args: ["--relay", `http://127.0.0.2:${cable.port}`, "--insecure"] };
}

/** For what is about the terminal alone: no relay of its own is started for each. */
const atHand = () => ({
  PAIRPTY_RELAY: `http://127.0.0.1:${relay.port}`,
  PAIRPTY_RELAY_KEY: KEY,
});

/** As wide as many windows are, and no wider. */
const WINDOW = { columns: 100, rows: 40 };

function terminal(place: Place, args: string[], options: TtyOptions = {}): Tty {
  return Tty.pairpty(place, args, { ...WINDOW, ...options });
}

function inShell(place: Place, script: string, environment: NodeJS.ProcessEnv = {}): Tty {
  const bin = join(place.root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "pairpty"), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  chmodSync(join(bin, "pairpty"), 0o755);
  const PATH = `${bin}:${environment["PATH"] ?? process.env["PATH"]}`;
  const shell = script === "" ? ["--norc", "-i"] : ["--norc", "-c", script];
  return new Tty(place, ["/bin/bash", ...shell], {
    ...WINDOW,
    environment: { ...environment, PATH },
  });
}

async function links(
  place: Place,
): Promise<Record<"peer" | "mcp" | "edit" | "view" | "agent", string>> {
  const told = await ask(join(place.runtimeFolder(), "bridge.sock"), { verb: "ready" });
  if (told === undefined) throw new Error("no bridge runs here");
  const { endpoints, tokens } = told;
  const { edit = "", view, agent = "" } = tokens;
  return { peer: endpoints.peer, mcp: endpoints.mcp, edit, view, agent };
}

test("C11 C50 C51 E6 TU33 the links stand there whole, and the keys work at once: help, links, share, copy; a killed pty host is told as what it is; q and Ctrl-C ask where terminals run, and the end says what it ended", async () => {
  await using place = new Place();
  using tty = terminal(place, []);
  await tty.shows(KEYS);
  const { edit, view } = await links(place);
  const told = (await tty.lines()).join("");
  expect(told).toContain(`#${edit}`);
  expect(told).toContain(`#${view}`);
  expect(told).toMatch(/opens a shell as you.*View.*Only this machine can open these;/);
  expect(told).not.toContain("claude mcp add");
  // A relay on this machine is none for phones.
  expect(told).not.toMatch(/[▀▄█]/);
  expect(tty.modes()).toEqual({ raw: true, echo: false, lineEnds: true });

  tty.type("h");
  await tty.shows(/q.{0,12}quit, like Ctrl-C/);
  tty.type("c");
  await tty.shows(/edit link handed to your terminal's clipboard/);
  const copied = /\]52;c;([\w+/=]+)/.exec(tty.raw)?.[1] ?? "";
  expect(Buffer.from(copied, "base64").toString()).toMatch(new RegExp(`^http.*#${edit}$`));

  tty.type("s");
  await tty.shows(/to watch,.*to also type/);
  const before = tty.raw.length;
  tty.type("v");
  await tty.shows("A view link for 30 days", before);
  const link = await tty.shows(LINK, before);
  using guest = await SeedClient.connect((await links(place)).peer, link.split("#")[1] ?? "");
  expect((await guest.ofType("pty:terminals"))["role"]).toBe("view");
  await tty.shows(/shared \d\d:\d\d \(view\) joined/);
  // Behind a new link, c means that one, whatever came in between.
  tty.type("\r");
  // Both at once would be a paste; what was typed is read before a verb is answered.
  await place.run(["ls"]);
  tty.type("h");
  await tty.shows(/copy the link that i or s made last/, before);
  tty.type("c");
  await tty.shows(/new view link handed to your terminal/, before);
  expect(tty.raw).toContain(Buffer.from(link).toString("base64"));
  const later = tty.raw.length;
  tty.type("s");
  await tty.shows(/to also type/, later);
  tty.type("e");
  await tty.shows("An edit link for 30 days", later);

  const invited = tty.raw.length;
  tty.type("i");
  await tty.shows("Who is it for?", invited);
  tty.type("Ada\r");
  await tty.shows(/For Ada: .*to also type/, invited);
  tty.type("e");
  await tty.shows("An edit link for Ada, 30 days", invited);
  await tty.shows("new edit link handed to your terminal's clipboard", invited);
  await tty.shows("Only this machine can open it", invited);
  expect(tty.raw.slice(invited)).not.toContain("Press c to copy it");
  expect((await place.run(["grants"])).stdout).toMatch(/edit\s.*Ada/);
  tty.type("m");
  await tty.shows(/➜ {2}Agent {2}claude mcp add/, invited);

  // An arrow key or a paste is no key of ours; what was typed is read before a verb is answered.
  for (const foreign of ["\u001B[A", "\u001BOq", "quit\r", "x"]) {
    tty.type(foreign);
    expect((await place.run(["ls"])).code).toBe(0);
  }

  const { peer } = await links(place);
  const base = peer.replace("ws:", "http:").replace("/parties/workspace/", "/w/");
  const open = async () => {
    const headers = { authorization: `Bearer ${edit}` };
    return (await fetch(`${base}/pty/spawn`, { method: "POST", headers, body: "{}" })).status;
  };
  expect(await open()).toBe(201);
  const [host = 0] = place.processesRunning("pty-host.js");
  process.kill(host, "SIGKILL");
  await tty.shows(/the pty host died, and 1 terminal with it; starting another/);
  await until("terminals can be had again", async () => (await open()) === 201);
  expect(tty.raw).not.toMatch(/link lost|run on|link is back/);
  // By a single key.
  tty.type("q");
  await tty.shows(/1 terminal is still running\. Stop everything\? \[y\/N\] /);
  tty.type("n");
  await tty.shows(/\[y\/N\] n\r\n {2}still running/);
  const asked = tty.raw.length;
  tty.type("\u0003");
  await tty.shows(/Stop everything\? \[y\/N\] /, asked);
  tty.type("y");
  await tty.shows(/ended 1 terminal .*relay/, asked);
  expect(await tty.ends()).toBe(0);
});

test("C12 whatever ends or stops it, the terminal is as before: Ctrl-Z, q, Ctrl-C, TERM, a hang-up", async () => {
  await using place = new Place();
  // It restores the modes itself when it is stopped: not every parent does, nor this one.
  using tty = inShell(
    place,
    `stty -a > before
    for how in q c hup; do
      pairpty; echo "$how: $?"; stty -a > after-$how
    done
    set -m; pairpty; stty -a > after-stop; kill -CONT %1; kill %1; wait %1
    echo "term: $?"; stty -a > after-term`,
    atHand(),
  );
  const round = async (end: (bridge: number) => void, how: string) => {
    const from = tty.raw.length;
    await tty.shows(KEYS, from);
    await until("raw", () => tty.modes().raw);
    const status = JSON.parse((await place.run(["status", "--json"])).stdout);
    end(status.pid);
    await tty.shows(new RegExp(`${how}: \\d+`), from);
  };
  await round(() => tty.type("q"), "q");
  await round(() => tty.type("\u0003"), "c");
  await round((pid) => process.kill(pid, "SIGHUP"), "hup");
  await round(() => tty.type("\u001A"), "term");
  await tty.ends();
  const read = (name: string) => readFileSync(join(place.folder, name), "utf8");
  for (const how of ["q", "c", "hup", "stop", "term"]) {
    expect(read(`after-${how}`), how).toBe(read("before"));
  }
  expect(tty.raw).toMatch(/q: 0[^]*c: \d+[^]*hup: 129[^]*term: 0/);
});

test("C12 a bug that ends it leaves the terminal as it was, too", async () => {
  await using place = new Place();
  const bug = join(place.root, "bug.mjs");
  writeFileSync(
    bug,
    `if (process.argv[1]?.endsWith("cli.js") && process.argv.length === 2)
      process.on("SIGUSR2", () => { throw new Error("planted"); });`,
  );
  using tty = inShell(
    place,
    `stty -a > before; NODE_OPTIONS='--import ${bug}' pairpty; stty -a > after`,
    atHand(),
  );
  await tty.shows(KEYS);
  await until("raw", () => tty.modes().raw);
  const status = JSON.parse((await place.run(["status", "--json"])).stdout);
  process.kill(status.pid, "SIGUSR2");
  await tty.ends();
  expect(tty.raw).toContain("planted");
  const read = (name: string) => readFileSync(join(place.folder, name), "utf8");
  expect(read("after")).toBe(read("before"));
});

test("C12 Ctrl-Z stops it with the terminal restored; fg has the keys again, bg leaves it alone", async () => {
  await using place = new Place();
  using tty = inShell(place, "", { ...atHand(), PS1: "at-shell> " });
  const step = async (typed: string, shown: RegExp) => {
    const from = tty.raw.length;
    tty.type(typed);
    await tty.shows(shown, from);
  };
  await step("pairpty\n", KEYS);
  await until("raw", () => tty.modes().raw);
  await step("\u001A", /Stopped[^]*at-shell> /);
  expect(tty.modes()).toMatchObject({ raw: false, lineEnds: true });
  await step("fg\n", /pairpty/);
  await until("raw again", () => tty.modes().raw);
  await step("h", /this help/);
  await step("\u001A", /Stopped[^]*at-shell> /);
  await step("bg\n", /&[^]*at-shell> /);
  // It runs, answers, and neither takes keys nor is stopped for trying.
  await until("a link", async () => {
    const status = await place.run(["status", "--json"]);
    return JSON.parse(status.stdout).link === "up";
  });
  await step("echo ty''ped\n", /typed[^]*at-shell> /);
  await step("jobs\n", /Running[^]*at-shell> /);
  expect(tty.modes().raw).toBe(false);
  await step("fg\n", /pairpty/);
  // The shell names the job before it hands the keys over.
  await until("handed over", () => !tty.hasKeys());
  // In the foreground again, without raw mode: the kernel's own Ctrl-C.
  await step("\u0003", /at-shell> /);
  await step("echo co''de $?\n", /code \d+/);
});

test("C12 started in the background it takes no keys, and runs", async () => {
  await using place = new Place();
  using tty = inShell(place, "", { ...atHand(), PS1: "at-shell> " });
  await tty.shows(/at-shell> /);
  tty.type("pairpty &\n");
  await tty.shows(/stops it[^]*the links work/);
  tty.type("jobs\n");
  await tty.shows(/Running/);
  tty.type("kill %1; wait; echo en''ded\n");
  await tty.shows(/ended/);
});

test("C11 a relay that others reach: a code for the view link where it fits, none with --no-qr", async () => {
  const { cable, args } = await farAway();
  await using place = new Place({ PAIRPTY_RELAY_KEY: KEY });
  await place.start(...args);
  const screen = async (more: string[], options: TtyOptions) => {
    using tty = terminal(place, more, options);
    expect(await tty.ends()).toBe(0);
    return { told: await tty.lines(), raw: tty.raw };
  };
  const tall = await screen([], { columns: 120, rows: 60 });
  const code = tall.told.filter((line) => /^ {2}[ ▀▄█]+$/.test(line));
  expect(code.length).toBeGreaterThan(15);
  expect(tall.raw).toContain("To watch on a phone");
  // Nothing is scrolled away by it.
  expect(tall.told.findIndex((line) => line.includes("PAIRPTY"))).toBeGreaterThanOrEqual(0);
  expect(tall.told.length).toBe(60);
  // Which sizes are too small is in bridge/cli/screen/qr.test.ts.
  expect((await screen(["--no-qr"], { columns: 120, rows: 60 })).raw).not.toMatch(/[▀▄█]/);
  await cable[Symbol.asyncDispose]();
});

test("C14 a relay that takes its time: the links are there at once, and a line says when they work", async () => {
  const { cable, args } = await farAway();
  const release = cable.hold();
  await using place = new Place({ PAIRPTY_RELAY_KEY: KEY });
  using tty = terminal(place, args);
  // Nothing was heard of the relay by now.
  await tty.shows(/PAIRPTY v\S+ {2}connecting…[^]*Edit[^]*#pp_[^]*View[^]*#pp_[^]*q quit/);
  expect(tty.text).not.toContain("connected to");
  // What is on this machine works meanwhile; what goes through the relay waits.
  expect((await place.run(["ls"])).code).toBe(0);
  const state = JSON.parse((await place.run(["status", "--json"])).stdout);
  expect(state).toMatchObject({ link: "down" });
  const shared = place.run(["share"]);
  tty.type("o");
  await tty.shows("not yet: still connecting to the relay");
  release();
  await tty.shows(/connected to http:\/\/127\.0\.0\.2:\d+ in \d+ ms: the links work/);
  expect(await shared).toMatchObject({ code: 0, stdout: expect.stringMatching(/#pp_/) });
  const { peer, edit } = await links(place);
  expect((await tty.lines()).join("")).toContain(`#${edit}`);
  using guest = await SeedClient.connect(peer, edit);
  expect((await guest.ofType("pty:terminals"))["role"]).toBe("edit");
  tty.type("q");
  expect(await tty.ends()).toBe(0);
  await cable[Symbol.asyncDispose]();
});

test("C14 q ends it while the relay is still silent; one that cannot be reached or refuses is told", async () => {
  const { cable, args } = await farAway();
  const release = cable.hold();
  await using place = new Place();
  using silent = terminal(place, args);
  await silent.shows(/connecting…[^]*q quit/);
  silent.type("q");
  expect(await silent.ends()).toBe(0);
  release();
  // Without the key.
  using refused = terminal(place, args);
  expect(await refused.ends()).toBe(4);
  expect(refused.text).toMatch(/connecting…[^]*error \S+ refused: [^]*PAIRPTY_RELAY_KEY/);
  cable.refuse(true);
  using gone = terminal(place, args);
  await gone.shows(/connecting…[^]*cannot be reached yet: [^]*trying again/);
  expect(await gone.ends()).toBe(5);
  expect(gone.text).toMatch(/error \S+ cannot be reached: /);
  expect(gone.text.match(/trying again/g)).toHaveLength(1);
  await cable[Symbol.asyncDispose]();
});

test("C14 programs get links that work: --json and pipes say nothing before the relay has answered", async () => {
  const { cable, args } = await farAway();
  await using place = new Place({ PAIRPTY_RELAY_KEY: KEY });
  for (const more of [["--json"], []]) {
    const release = cable.hold();
    const child = place.spawn(CLI, [...args, ...more]);
    let told = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      told += chunk.toString();
    });
    // It answers verbs, so it is as far as it can come.
    await until("a bridge", async () => (await place.run(["ls"])).code === 0);
    expect(told).toBe("");
    release();
    await until("links", () => told.includes("#pp_"));
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  await cable[Symbol.asyncDispose]();
});

test("C11 CI, dumb, narrow windows and pipes: each gets what it can show; a second pairpty has no keys", async () => {
  await using place = new Place();
  await place.start();
  const screen = async (environment: NodeJS.ProcessEnv, columns = 100) => {
    using tty = terminal(place, [], { environment, columns });
    expect(await tty.ends()).toBe(0);
    return { told: await tty.lines(), printed: tty.raw, text: tty.text };
  };
  const colourful = await screen({});
  expect(colourful.printed).toContain(`${ESCAPE}[`);
  expect(colourful.text).toMatch(
    /is running here[^]*http[^]*`pairpty stop` stops it and its terminals/,
  );
  expect(colourful.text).not.toMatch(KEYS);
  // Which of them win over which is in bridge/cli/output/surface.test.ts.
  const dumb = await screen({ TERM: "dumb" });
  expect(dumb.printed).not.toContain(ESCAPE);
  expect(Buffer.byteLength(dumb.printed)).toBe(dumb.printed.length);
  expect(dumb.printed).toMatch(/-> {2}Edit/);
  const narrow = await screen({}, 40);
  expect(narrow.told).toContain("➜  Edit");
  const at = narrow.told.indexOf("➜  Edit");
  expect(narrow.told.slice(at + 1, at + 5).join("")).toMatch(/^http:\S+#pp_\S+/);
  expect(narrow.told).toContainEqual(expect.stringMatching(/^Only this machine can open these;/));
  for (const verb of ["logs", "ls", "status"]) {
    expect((await place.run([verb], { CI: "true" })).stdout, verb).not.toContain(ESCAPE);
  }
  expect((await place.run(["logs"], { FORCE_COLOR: "1" })).stdout).toContain(ESCAPE);
});

test("C11 in a pipe: links alone on stdout, each behind its name, no keys, no escapes; --copy says by which way, or that there is none", async () => {
  await using place = new Place({ ...BARE, DISPLAY: ":7" });
  const bin = join(place.root, "fake");
  mkdirSync(bin);
  writeFileSync(join(bin, "xsel"), `#!/bin/sh\ncat > "${place.root}/clipboard"\n`);
  chmodSync(join(bin, "xsel"), 0o755);
  const desktop = { DISPLAY: ":7", PATH: `${bin}:${process.env["PATH"]}` };
  using tty = inShell(place, "pairpty --copy | cat > out; echo over", desktop);
  await tty.shows(/Ctrl-C stops it/);
  expect(tty.modes()).toEqual({ raw: false, echo: true, lineEnds: true });
  const { edit, view } = await links(place);
  const out = readFileSync(join(place.folder, "out"), "utf8").trim().split("\n");
  expect(out).toEqual([
    expect.stringMatching(new RegExp(`^edit http\\S+#${edit}$`)),
    expect.stringMatching(new RegExp(`^view http\\S+#${view}$`)),
  ]);
  await tty.shows("edit link copied with xsel");
  expect(readFileSync(join(place.root, "clipboard"), "utf8")).toMatch(new RegExp(`#${edit}$`));
  // A second one copies too; without a way it says so, and is no mistake.
  const none = await place.run(["--copy"], { DISPLAY: "" });
  expect([none.code, none.stderr]).toEqual([0, expect.stringContaining("was not copied")]);
  tty.signal("SIGINT");
  await tty.shows(/over|\^C/);
});

test("C35 Q42 I70 an agent's question is on the screen as it is asked: y lets it run, n and a reason do not, k shows the code; a person steps in from the list and comes back to the keys", async () => {
  await using place = new Place();
  using tty = terminal(place, []);
  await tty.shows(KEYS);
  const { peer, mcp, edit, agent: token } = await links(place);
  const agent = await agentAt(mcp, token);
  const runs = (command: string[]) =>
    agent.call("spawn_background_terminal", { cwd: ".", command });
  const nasty = `${ESCAPE}[2J\r\n  y once`;
  const first = runs(["git", "clean", "-fdx"]);
  await tty.shows(
    /wants to run: spawn_background_terminal, isolation none, in \S+\s+│ git clean -fdx/,
  );
  // Asked at once, either could be the first.
  const refused = runs(["git", "reset", "--hard", nasty]).catch(String);
  await tty.shows(/1 more waits/);
  await tty.shows(/y once · a the same again, as long as this token lasts · n deny, with a reason/);
  tty.type("y");
  await tty.shows(/approval \w+ was allowed by the host, once/);
  expect((await first)["id"]).toMatch(/^pty-/);
  // What an agent wrote steers nothing, and each of its lines is marked.
  await tty.shows(/│ git reset --hard "\\u001b\[2J\\r\\n {2}y once"/);
  expect(tty.raw).not.toContain(`${ESCAPE}[2J`);
  // The same finger, a moment later: it is asked whether it was read.
  for (let shown = ""; shown !== "Type a reason";) {
    const from = tty.raw.length;
    tty.type("n");
    shown = await tty.shows(/that was quick|Type a reason/, from);
  }
  tty.type("not here\r");
  expect(await refused).toContain("not here");
  await tty.shows(/was denied by the host: not here/);
  // Another question has the keys first; the agent's is shown behind it, and answered elsewhere.
  using person = await SeedClient.connect(peer, edit);
  const from = tty.raw.length;
  tty.type("s");
  await tty.shows(/v to watch/, from);
  const later = runs(["git", "checkout", "--", "."]);
  const { approval } = await person.ofType("approval:requested");
  expect(tty.raw.slice(from)).not.toContain("git checkout");
  tty.type("y");
  await tty.shows(/nothing shared[^]*│ git checkout -- \./, from);
  person.send({ type: "approval:answer", id: (approval as Approval).id, answer: "once" });
  await tty.shows(/was allowed by edit link, once/, from);
  expect((await later)["id"]).toMatch(/^pty-/);
  tty.type("k");
  const code = /\d{8}/.exec(await tty.shows(/The code is \d{8}/, from))?.[0] ?? "";
  expect((await place.run(["share"])).code).toBe(2);
  expect((await place.run(["share", "--code", code])).code).toBe(0);

  // From the list into an agent's terminal, and back to the keys.
  const command = ["/bin/sh", "-c", "read line; echo got-$line; exec sleep 60"];
  const { id } = await runs(command);
  const { stdout } = await place.run(["ls", "--json"]);
  const open: { id: string; number: number }[] = JSON.parse(stdout);
  const number = open.find((one) => one.id === id)?.number;
  tty.type("t");
  await tty.shows(/Press [\d or]+ to step in here/, from);
  tty.type(String(number));
  await tty.shows(/you type into \S+/);
  tty.type("hello\r");
  await tty.shows("got-hello");
  tty.type("\u001C");
  await tty.shows(/handed back|hands? it back/i);
  const before = tty.raw.length;
  tty.type("h");
  await tty.shows("list the terminals", before);
  await agent.close();
});
