// The first screen and its keys, on a real terminal.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestBridge } from "../../bridge/doors/control/control-client.ts";
import type { Approval } from "../../protocol/approval.ts";
import { agentAt } from "../support/agent.ts";
import { CuttableProxy } from "../support/cuttable.ts";
import { CLI, Place } from "../support/product.ts";
import { TestRelay } from "../support/relay.ts";
import { PlainClient } from "../support/plain-client.ts";
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

/** The way to it: not one of the names that mean this machine alone. Plain clients come by it. */
async function farAway(): Promise<{ cable: CuttableProxy; args: string[] }> {
  const cable = await CuttableProxy.start(relay.port, "127.0.0.2");
  const relayArgs = ["--relay", `http://127.0.0.2:${cable.port}`, "--insecure"];
  return { cable, args: [...relayArgs, "--e2e", "off"] };
}

/** For what is about the terminal alone: no relay of its own is started for each. */
const atHand = () => ({
  PAIRPTY_RELAY: `http://127.0.0.1:${relay.port}`,
  PAIRPTY_RELAY_KEY: KEY,
  PAIRPTY_E2E: "off",
});

/** The shell's own look at the modes, before `pairpty` and after it. */
const AROUND = `stty -a > before; NODE_OPTIONS=$OPTIONS pairpty $ARGS; echo "over: $?"; stty -a > after`;

const modesIn = (place: Place, name: string) => readFileSync(join(place.folder, name), "utf8");

/** C12, at whatever end: the modes are those from before. Returns what it exited with. */
async function endsAsItBegan(place: Place, tty: Tty): Promise<number> {
  await tty.ends();
  expect(modesIn(place, "after"), "C12 the modes").toBe(modesIn(place, "before"));
  return Number(/over: (\d+)/.exec(tty.text)?.[1]);
}

async function findPid(place: Place): Promise<number> {
  return JSON.parse((await place.run(["status", "--json"])).stdout).pid;
}

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
  const reply = await requestBridge(join(place.runtimeFolder(), "bridge.sock"), { verb: "ready" });
  if (reply === undefined) throw new Error("no bridge runs here");
  const { endpoints, tokens } = reply;
  const { edit = "", view, agent = "" } = tokens;
  return { peer: endpoints.peer, mcp: endpoints.mcp, edit, view, agent };
}

test("C11 C12 C50 C51 TU33 E12 C65 C66 C67 C70 C71 C75 C118 C119 C120 the links stand there whole, and the keys work at once: help, links, share, copy; a killed pty host is told as what it is; q and Ctrl-C ask where terminals run, and the end says what it ended", async () => {
  await using place = new Place();
  using tty = inShell(place, AROUND);
  await tty.shows(KEYS);
  const { edit, view } = await links(place);
  const reply = (await tty.lines()).join("");
  expect(reply).toContain(`#${edit}`);
  expect(reply).toContain(`#${view}`);
  expect(reply).toMatch(/a shell as you.*View.*These links work only on this machine\./);
  expect(reply).not.toContain("claude mcp add");
  // A relay on this machine is none for phones.
  expect(reply).not.toMatch(/[▀▄█]/);
  expect(tty.modes()).toEqual({ raw: true, echo: false, lineEnds: true });

  tty.type("h");
  await tty.shows(/q.{0,12}quit, like Ctrl-C/);
  tty.type("c");
  await tty.shows(/edit link sent to your terminal's clipboard/);
  const copied = /\]52;c;([\w+/=]+)/.exec(tty.raw)?.[1] ?? "";
  expect(Buffer.from(copied, "base64").toString()).toMatch(new RegExp(`^http.*#${edit}$`));

  tty.type("s");
  await tty.shows(/v = view only, e = can type/);
  const before = tty.raw.length;
  tty.type("v");
  await tty.shows("A view link for 30 days", before);
  const link = await tty.shows(LINK, before);
  using guest = await PlainClient.connect((await links(place)).peer, link.split("#")[1] ?? "");
  expect((await guest.ofType("pty:terminals"))["role"]).toBe("view");
  await tty.shows(/shared \d\d:\d\d \(view\) joined/);
  // Behind a new link, c means that one, whatever came in between.
  tty.type("\r");
  // Both at once would be a paste; what was typed is read before a verb is answered.
  await place.run(["ls"]);
  tty.type("h");
  await tty.shows(/copy the link that i or s made last/, before);
  tty.type("c");
  await tty.shows(/new view link sent to your terminal/, before);
  expect(tty.raw).toContain(Buffer.from(link).toString("base64"));
  const later = tty.raw.length;
  tty.type("s");
  await tty.shows(/e = can type/, later);
  tty.type("e");
  await tty.shows("An edit link for 1 day", later);

  const invited = tty.raw.length;
  tty.type("i");
  await tty.shows("Who is it for?", invited);
  tty.type("Ada\r");
  await tty.shows(/For Ada: .*e = can type/, invited);
  tty.type("e");
  await tty.shows("An edit link for Ada, 1 day", invited);
  await tty.shows("new edit link sent to your terminal's clipboard", invited);
  await tty.shows("This link works only on this machine", invited);
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
  await tty.shows(/The pty host died, with 1 terminal\. Starting another/);
  await until("terminals can be had again", async () => (await open()) === 201);
  expect(tty.raw).not.toMatch(/relay lost|run on|relay restored/);
  // By a single key.
  tty.type("q");
  await tty.shows(/1 terminal is still running\. Stop everything\? \[y\/N\] /);
  tty.type("n");
  await tty.shows(/\[y\/N\] n\r\n {2}Cancelled\. pairpty is still running/);
  const asked = tty.raw.length;
  tty.type("\u0003");
  await tty.shows(/Stop everything\? \[y\/N\] /, asked);
  tty.type("y");
  await tty.shows(/Stopped\. 1 terminal ended/, asked);
  expect(await endsAsItBegan(place, tty)).toBe(0);
});

test("C12 C73 C74 Ctrl-Z stops it with the terminal restored; fg has the keys again, bg leaves it alone; so does a start in the background; a hang-up and Ctrl-C leave the modes from before", async () => {
  await using place = new Place();
  // It restores the modes itself when it is stopped: not every parent does, nor this one.
  const shell = `set -m; stty -a > before
    pairpty; stty -a > after-stop
    bg %1; read -r typed; echo "got $typed"; jobs
    fg %1; echo "stopped again"
    fg %1; echo "first: $?"; stty -a > after-hup
    pairpty & read -r typed; echo "got $typed"; jobs
    fg %1; echo "second: $?"; stty -a > after-c`;
  using tty = inShell(place, shell, atHand());
  await tty.shows(KEYS);
  await until("raw", () => tty.modes().raw);
  tty.type("\u001A");
  // In the background it runs, answers, and neither takes keys nor is stopped for trying.
  await until("a link", async () => {
    const status = await place.run(["status", "--json"]);
    return JSON.parse(status.stdout).link === "up";
  });
  tty.type("hello\r");
  await tty.shows(/got hello[^]*Running/);
  // The shell names the job before it hands the keys over.
  await until("handed over", () => !tty.hasKeys());
  // In the foreground again: the kernel's own Ctrl-Z, or pairpty's if it has the keys by now.
  tty.type("\u001A");
  await tty.shows("stopped again");
  await until("raw again", () => tty.modes().raw);
  const from = tty.raw.length;
  tty.type("h");
  await tty.shows(/this help/, from);
  process.kill(await findPid(place), "SIGHUP");
  await tty.shows("first: 129");

  await tty.shows(/stops pairpty[^]*The links work/, from);
  tty.type("again\r");
  await tty.shows(/got again[^]*Running/);
  await until("handed over", () => !tty.hasKeys());
  expect(tty.modes().raw).toBe(false);
  tty.type("\u0003");
  await tty.shows(/second: \d+/);
  await tty.ends();
  for (const how of ["stop", "hup", "c"]) {
    expect(modesIn(place, `after-${how}`), how).toBe(modesIn(place, "before"));
  }
});

/** A second pairpty where others reach the relay: for phones. */
async function drawsItsCode(place: Place): Promise<void> {
  const screen = async (more: string[]) => {
    using tty = terminal(place, more, { columns: 120, rows: 60 });
    expect(await tty.ends()).toBe(0);
    return { reply: await tty.lines(), raw: tty.raw };
  };
  const tall = await screen([]);
  const code = tall.reply.filter((line) => /^ {2}[ ▀▄█]+$/.test(line));
  expect(code.length).toBeGreaterThan(15);
  expect(tall.raw).toContain("To watch on a phone");
  // Nothing is scrolled away by it.
  expect(tall.reply.findIndex((line) => line.includes("PAIRPTY"))).toBeGreaterThanOrEqual(0);
  expect(tall.reply.length).toBe(60);
  // Which sizes are too small is in bridge/cli/screen/qr-code.test.ts.
  expect((await screen(["--no-qr"])).raw).not.toMatch(/[▀▄█]/);
}

test("C11 C12 C14 C65 a relay that takes its time: the links are there at once, and a line says when they work; a second pairpty shows a code for the view link where it fits, none with --no-qr; a bug that ends it leaves the terminal as it was", async () => {
  const { cable, args } = await farAway();
  const release = cable.hold();
  await using place = new Place({ PAIRPTY_RELAY_KEY: KEY });
  const bug = join(place.root, "bug.mjs");
  writeFileSync(
    bug,
    `if (process.argv[1]?.endsWith("cli.js")) process.on("SIGUSR2", () => { throw new Error("planted"); });`,
  );
  using tty = inShell(place, AROUND, {
    ARGS: args.join(" "),
    OPTIONS: `--import ${bug}`,
  });
  // Nothing was heard of the relay by now.
  await tty.shows(/PAIRPTY v\S+ {2}connecting…[^]*Edit[^]*#pp_[^]*View[^]*#pp_[^]*q quit/);
  expect(tty.text).not.toContain("Connected to");
  // What is on this machine works meanwhile; what goes through the relay waits.
  expect((await place.run(["ls"])).code).toBe(0);
  const state = JSON.parse((await place.run(["status", "--json"])).stdout);
  expect(state).toMatchObject({ link: "down" });
  const shared = place.run(["share"]);
  tty.type("o");
  await tty.shows("Not yet: still connecting to the relay");
  release();
  await tty.shows(/Connected to http:\/\/127\.0\.0\.2:\d+ in \d+ ms\. The links work/);
  expect(await shared).toMatchObject({ code: 0, stdout: expect.stringMatching(/#pp_/) });
  const { peer, edit } = await links(place);
  expect((await tty.lines()).join("")).toContain(`#${edit}`);
  using guest = await PlainClient.connect(peer, edit);
  expect((await guest.ofType("pty:terminals"))["role"]).toBe("edit");
  await drawsItsCode(place);
  expect(tty.modes().raw).toBe(true);
  process.kill(state.pid, "SIGUSR2");
  expect(await endsAsItBegan(place, tty)).not.toBe(0);
  expect(tty.raw).toContain("planted");
  await cable[Symbol.asyncDispose]();
});

test("C12 C14 q ends it while the relay is still silent; one that cannot be reached is told once, and one that refuses", async () => {
  const { cable, args } = await farAway();
  const release = cable.hold();
  await using place = new Place();
  using silent = inShell(place, AROUND, { ARGS: args.join(" ") });
  await silent.shows(/connecting…[^]*q quit/);
  await until("raw", () => silent.modes().raw);
  silent.type("q");
  expect(await endsAsItBegan(place, silent)).toBe(0);
  release();
  // When it is given up is in bridge/run/first-link.test.ts.
  cable.refuse(true);
  using gone = terminal(place, args);
  await gone.shows(/connecting…[^]*Cannot reach [^]* yet: [^]*Retrying/);
  await until("tried again", () => cable.refusals > 1);
  // Without the key.
  cable.refuse(false);
  expect(await gone.ends()).toBe(4);
  expect(gone.text).toMatch(/error \S+ refused: [^]*PAIRPTY_RELAY_KEY/);
  expect(gone.text.match(/Retrying/g)).toHaveLength(1);
  await cable[Symbol.asyncDispose]();
});

/** It answers verbs, so it is as far as it can come without its relay. */
async function answersVerbs(place: Place): Promise<void> {
  await until("a bridge", async () => (await place.run(["ls"])).code === 0);
}

test("C11 C76 C66 C68 C69 C71 C72 in a pipe: links alone on stdout once the relay has answered, no keys, no escapes, --copy says by which way; a second pairpty has no keys and shows what its window can: CI, dumb, narrow", async () => {
  // On this machine, and silent at first.
  const cable = await CuttableProxy.start(relay.port);
  const release = cable.hold();
  await using place = new Place({
    ...BARE,
    DISPLAY: ":7",
    PAIRPTY_RELAY: `http://127.0.0.1:${cable.port}`,
    PAIRPTY_RELAY_KEY: KEY,
    PAIRPTY_E2E: "off",
  });
  const bin = join(place.root, "fake");
  mkdirSync(bin);
  writeFileSync(join(bin, "xsel"), `#!/bin/sh\ncat > "${place.root}/clipboard"\n`);
  chmodSync(join(bin, "xsel"), 0o755);
  const desktop = { DISPLAY: ":7", PATH: `${bin}:${process.env["PATH"]}` };
  using tty = inShell(place, "pairpty --copy | cat > out; echo over", desktop);
  const out = () => readFileSync(join(place.folder, "out"), "utf8");
  await answersVerbs(place);
  expect(out()).toBe("");
  release();
  await tty.shows(/Ctrl-C stops pairpty/);
  expect(tty.modes()).toEqual({ raw: false, echo: true, lineEnds: true });
  const { edit, view } = await links(place);
  expect(out().trim().split("\n")).toEqual([
    expect.stringMatching(new RegExp(`^edit http\\S+#${edit}$`)),
    expect.stringMatching(new RegExp(`^view http\\S+#${view}$`)),
  ]);
  await tty.shows("edit link copied with xsel");
  expect(readFileSync(join(place.root, "clipboard"), "utf8")).toMatch(new RegExp(`#${edit}$`));
  // A second one copies too; without a way it says so, and is no mistake.
  const none = await place.run(["--copy"], { DISPLAY: "" });
  expect([none.code, none.stderr]).toEqual([0, expect.stringContaining("could not copy")]);

  const screen = async (environment: NodeJS.ProcessEnv, columns = 100) => {
    using second = terminal(place, [], { environment, columns });
    expect(await second.ends()).toBe(0);
    return { reply: await second.lines(), printed: second.raw, text: second.text };
  };
  // Which of them win over which is in bridge/cli/output/output.test.ts.
  const dumb = await screen({ TERM: "dumb" });
  expect(dumb.printed).not.toContain(ESCAPE);
  expect(Buffer.byteLength(dumb.printed)).toBe(dumb.printed.length);
  expect(dumb.printed).toMatch(/-> {2}Edit/);
  const narrow = await screen({}, 40);
  expect(narrow.printed).toContain(`${ESCAPE}[`);
  expect(narrow.reply.join(" ")).toMatch(
    /already running here.*http.*`pairpty stop` stops pairpty and\s+its\s+terminals/,
  );
  expect(narrow.text).not.toMatch(/q quit/);
  expect(narrow.reply).toContain("➜  Edit");
  const at = narrow.reply.indexOf("➜  Edit");
  expect(narrow.reply.slice(at + 1, at + 5).join("")).toMatch(/^http:\S+#pp_\S+/);
  expect(narrow.reply).toContainEqual(
    expect.stringMatching(/^These links work only on this machine\./),
  );
  for (const verb of ["logs", "ls", "status"]) {
    expect((await place.run([verb], { CI: "true" })).stdout, verb).not.toContain(ESCAPE);
  }
  expect((await place.run(["logs"], { FORCE_COLOR: "1" })).stdout).toContain(ESCAPE);
  tty.signal("SIGINT");
  await tty.shows(/over|\^C/);
  await cable[Symbol.asyncDispose]();
});

test("C12 C35 I70 Q90 Q42 I105 C94 C96 C97 C98 C99 C100 an agent's question is on the screen as it is asked: y lets it run, n and a reason do not, k shows the code; a person steps in from the list and comes back to the keys; a TERM leaves the modes from before", async () => {
  await using place = new Place();
  using tty = inShell(place, AROUND, atHand());
  await tty.shows(KEYS);
  const { peer, mcp, edit, agent: token } = await links(place);
  const agent = await agentAt(mcp, token);
  const runs = (command: string[]) =>
    agent.call("spawn_background_terminal", { cwd: ".", command });
  const nasty = `${ESCAPE}[2J\r\n  y once`;
  const first = runs(["git", "clean", "-fdx"]);
  await tty.shows(
    /wants to run a command \(spawn_background_terminal, isolation none\) in[^│]+│ git clean -fdx/,
  );
  // Asked at once, either could be the first.
  const refused = runs(["git", "reset", "--hard", nasty]).catch(String);
  await tty.shows(/1 more waiting/);
  await tty.shows(/y once · a always, for this agent's session · n deny \(with a reason\)/);
  tty.type("y");
  await tty.shows(/approval \w+ was allowed by the host, once/);
  expect((await first)["id"]).toMatch(/^pty-/);
  // What an agent wrote steers nothing, and each of its lines is marked.
  await tty.shows(/│ git reset --hard '\\u001b\[2J\\u000d\s+│ {3}y once'/);
  expect(tty.raw).not.toContain(`${ESCAPE}[2J`);
  // The same finger, a moment later: it is asked whether it was read.
  for (let shown = ""; shown !== "Type a reason";) {
    const from = tty.raw.length;
    tty.type("n");
    shown = await tty.shows(/too quickly|Type a reason/, from);
  }
  tty.type("not here\r");
  expect(await refused).toContain("not here");
  await tty.shows(/was denied by the host: not here/);
  // Another question has the keys first; the agent's is shown behind it, and answered elsewhere.
  using person = await PlainClient.connect(peer, edit);
  const from = tty.raw.length;
  tty.type("s");
  await tty.shows(/v = view only/, from);
  const later = runs(["git", "checkout", "--", "."]);
  const { approval } = await person.ofType("approval:requested");
  expect(tty.raw.slice(from)).not.toContain("git checkout");
  tty.type("y");
  await tty.shows(/Cancelled\.[^]*│ git checkout -- \./, from);
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
  await tty.shows(/typing into \S+/);
  tty.type("hello\r");
  await tty.shows("got-hello");
  tty.type("\u001C");
  await tty.shows(/handed back|hands? it back/i);
  const before = tty.raw.length;
  tty.type("h");
  await tty.shows("list the terminals", before);
  await agent.close();
  expect(tty.modes().raw).toBe(true);
  process.kill(await findPid(place), "SIGTERM");
  expect(await endsAsItBegan(place, tty)).toBe(0);
});
