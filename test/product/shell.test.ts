// Shared terminals in the window somebody sits in, through the built command line on a real PTY.

import { mkdirSync, readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { requestBridge } from "../../bridge/doors/control/control-client.ts";
import type { ReadyAnswer } from "../../bridge/doors/control/control-requests.ts";
import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import { toBytes } from "../../protocol/text.ts";
import { ensureWorkspaceFolders } from "../../bridge/workspace/folders.ts";
import { askRelay } from "../support/http.ts";
import { Tty } from "../support/tty.ts";
import { Place } from "../support/product.ts";
import { RawClient } from "../support/raw-client.ts";

const DETACH = "\u001C";

/** The first \`shell\` starts a bridge in the background, which the tests behind it find. */
const place = new Place();
afterEach(async () => {
  const listed = await place.run(["ls", "--json"]);
  if (listed.code !== 0) return;
  const left: Terminal[] = JSON.parse(listed.stdout);
  for (const { id } of left) await place.run(["close", id]);
});
afterAll(() => end(place));

/** What \`shell\` starts in the background has no test that holds it. */
async function end(there: Place): Promise<void> {
  await there.ask(["stop", "--yes"]);
  await there[Symbol.asyncDispose]();
}

/** What is typed before a shell's prompt is echoed before it, and its output stands behind the prompt. */
async function prompts(tty: Tty): Promise<void> {
  await tty.shows("detaches");
  await tty.shows(/(?:^|\s)\$ /);
}

async function terminals(): Promise<Terminal[]> {
  const listed: Terminal[] = JSON.parse((await place.run(["ls", "--json"])).stdout);
  return listed;
}

async function ready(): Promise<ReadyAnswer> {
  const facts = await requestBridge(join(place.runtimeFolder(), "bridge.sock"), { verb: "ready" });
  if (facts === undefined) throw new Error("no bridge runs here");
  return facts;
}

test("C21 Q90 C78 C79 shell opens a terminal of one's own folder and environment, and starts a bridge for it, whose code it says", async () => {
  const folder = join(place.folder, "inner");
  mkdirSync(folder);
  const here = Tty.pairpty(place, ["shell", "--cwd", "..", "--", "/bin/sh"], {
    folder,
    environment: { MINE: "yes" },
  });
  await prompts(here);
  const code = /Its code is (\d{8})/.exec(here.text)?.[1] ?? "";
  expect((await place.run(["share", "--code", code])).code).toBe(0);
  expect((await place.run(["share", "--code", "0"])).code).toBe(2);
  here.type("echo $MINE-$PWD-$TERM_PROGRAM-end; stty size\r");
  await here.shows(`yes-${place.folder}-pairpty-end`);
  await here.shows("50 160");
  here.resize(100, 30);
  // Keys may come before the news of the window.
  here.type('until [ "$(stty size)" = "30 100" ]; do :; done; echo re""sized\r');
  await here.shows("resized");
  const [terminal] = await terminals();
  expect(terminal).toMatchObject({ owner: "user", command: ["/bin/sh"], cols: 100, rows: 30 });
  here.type("exit 7\r");
  expect(await here.ends()).toBe(7);
});

test("C21 C22 F8 F17 C57 C82 what is typed here is seen in the room, and the other way round; a question is answered once; watching types nothing; no token is made inside", async () => {
  const here = Tty.pairpty(place, ["shell", "--", "/bin/sh"]);
  await prompts(here);
  await isShared(here);
  await asksOnce(here);
  await isOnlyWatched(here);
  await makesNoToken();
  here.type("exit\r");
  expect(await here.ends()).toBe(0);
});

async function isShared(here: Tty): Promise<void> {
  const { endpoints, tokens } = await ready();
  const [{ id } = { id: "" }] = await terminals();
  using there = await RawClient.connect(endpoints.peer, tokens.edit ?? "");
  there.attach(id);
  await there.attached(id);
  here.type("echo from''here\r");
  await there.shows(id, /fromhere/);
  there.type(id, "echo from''there\r");
  await here.shows("fromthere");
  const driver = there.messages.findLast(({ type }) => type === "pty:driver");
  expect(driver).toMatchObject({ viewers: 2 });
}

/** F8: though the window here would answer a program's question, too. */
async function asksOnce(here: Tty): Promise<void> {
  // Reads for a second whatever comes, and shows it readably.
  const asking = `stty raw -echo min 0 time 10; printf '\\033[5n'; r=$(dd bs=100 count=1 2>/dev/null | od -An -c | tr -d ' '); stty sane; echo "got:$r:"`;
  here.type(`${asking}\r`);
  await here.shows("got:033[0n:");
  expect(here.raw).not.toContain("\u001B[5n");
}

async function isOnlyWatched(here: Tty): Promise<void> {
  const watcher = Tty.pairpty(place, ["attach", "--watch"]);
  await watcher.shows("watching");
  watcher.type("echo from-the-watcher\r");
  await watcher.shows(/view only: Ctrl-\\ detaches · `pairpty attach pty-\w+` lets you type/);
  here.type("echo from-the-shell\r");
  await watcher.shows(/\nfrom-the-shell/);
  expect(here.text).not.toContain("from-the-watcher");
  watcher.type(DETACH);
  expect(await watcher.ends()).toBe(0);
  expect(watcher.raw.match(/view only: Ctrl/g)).toHaveLength(1);
}

/** C6: a bridge in the background has no window for one. */
async function makesNoToken(): Promise<void> {
  const before = await place.run(["grants", "--json"]);
  for (const args of [["share"], ["connect", "codex"]]) {
    const asked = await place.run(args, { PAIRPTY_TERMINAL: "pty-000000000000@0" });
    expect([asked.code, asked.stdout]).toEqual([2, ""]);
    expect(asked.stderr).toContain("in a terminal that is not shared");
  }
  expect((await place.run(["grants", "--json"])).stdout).toBe(before.stdout);
  expect(readFileSync(join(place.runtimeFolder(), "background.log"), "utf8")).not.toContain("pp_");
}

test("C15 C22 C28 RE15 detached or with its window closed it runs on, which a narrow window says in whole words; attach comes back, and shows that it is recorded; close ends it", async () => {
  const first = Tty.pairpty(place, ["shell", "--", "/bin/sh"], { columns: 30, rows: 20 });
  await prompts(first);
  first.type("X=kept; echo on the screen\r");
  await first.shows(/\non the screen/);
  first.type(DETACH);
  expect(await first.ends()).toBe(0);
  const [{ id } = { id: "" }] = await terminals();
  const lines = (await first.lines()).map((line) => line.trimEnd());
  const at = lines.findIndex((line) => line.startsWith("Detached;"));
  expect(lines.slice(at, at + 3), "C15").toEqual([
    "Detached; terminal 1 keeps",
    "running: `pairpty attach 1`,",
    "`pairpty close 1`",
  ]);
  const second = Tty.pairpty(place, ["attach"]);
  await second.shows("on the screen");
  second.type("echo $X-again\r");
  await second.shows("kept-again");
  expect((await place.ask(["record", id])).code).toBe(0);
  await second.shows("this terminal is being recorded");
  // As long as it is: in the window's title, which no program draws in.
  second.type("printf '\\033]2;mine\\007'\r");
  await expect.poll(() => second.raw).toContain("\u001B]2;● recording · mine\u0007");
  const late = Tty.pairpty(place, ["attach", "--watch"]);
  await late.shows("this terminal is being recorded");
  expect(late.raw).toContain("\u001B]2;● recording · mine\u0007");
  expect((await place.ask(["record", id, "--stop"])).code).toBe(0);
  await late.shows("recording stopped");
  expect(late.raw).toContain("\u001B]2;mine\u0007");
  late.type(DETACH);
  await late.ends();
  second.hangUp();
  await second.ends();
  // By its number: `close 1` below; what else names a terminal is in bridge/cli/shell/pick-terminal.test.ts.
  const third = Tty.pairpty(place, ["attach", id.slice(0, 9), "--detach-key", "ctrl-]"]);
  await third.shows("kept-again");
  third.type("\u001D");
  expect(await third.ends()).toBe(0);
  const closed = await place.run(["close", "1"]);
  expect([closed.code, closed.stderr]).toEqual([0, expect.stringContaining(`Closed ${id}`)]);
  expect(await terminals()).toEqual([]);
  expect((await place.run(["close", id])).code).toBe(2);
}, 90_000);

test("PE72 C123 attach takes a size with its first key, and not by joining; a smaller window shows the part with the cursor", async () => {
  const first = Tty.pairpty(place, ["shell", "--", "/bin/sh"], { columns: 100, rows: 30 });
  await prompts(first);
  first.type("n=0; trap 'n=$((n+1))' WINCH; echo set''up\r");
  await first.shows("setup");
  const second = Tty.pairpty(place, ["attach"], { columns: 60, rows: 20 });
  await second.shows("detaches");
  expect((await second.lines()).slice(-20)).toContain("setup");
  first.type("echo resized-$n-times\r");
  await first.shows(/resized-\d-times/);
  expect(first.text).toContain("resized-0-times");
  second.type("stty size\r");
  await second.shows("20 60");
  first.type("exit\r");
  await Promise.all([first.ends(), second.ends()]);
});

test("C81 whoever sits in a terminal that is closed, or whose pty host dies, is told so", async () => {
  const closed = Tty.pairpty(place, ["shell", "--", "/bin/sh", "-c", "echo here; exec cat"]);
  await closed.shows(/here\r/);
  const [{ id } = { id: "" }] = await terminals();
  await place.run(["close", id]);
  expect(await closed.ends()).toBe(143);
  expect(closed.text).toContain(
    `${id} was ended by SIGTERM: the terminal was closed, or its program killed`,
  );
  const lost = Tty.pairpty(place, ["shell", "--", "/bin/cat"]);
  await lost.shows("detaches");
  for (const host of place.processesRunning("pty-host.js")) process.kill(host, "SIGKILL");
  expect(await lost.ends()).toBe(5);
  expect(lost.text).toContain("ended because the pty host died");
});

test("C23 inside a pairpty terminal shell and attach refuse, and so does stop", async () => {
  await using empty = new Place();
  const inside = { PAIRPTY_TERMINAL: "pty-000000000000@0" };
  for (const verb of ["shell", "attach", "stop"]) {
    const { code, stderr } = await empty.ask([verb], inside);
    expect([code, stderr], verb).toEqual([
      2,
      expect.stringMatching(/already a pairpty terminal|close the current terminal/),
    ]);
  }
});

test("C83 without a terminal, with an unknown id or a bad key it is said what is wrong", async () => {
  await using empty = new Place();
  const piped = await empty.ask(["shell"]);
  expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining("needs a terminal")]);
  const nowhere = Tty.pairpty(empty, ["attach"]);
  expect(await nowhere.ends()).toBe(3);
  const odd = await place.ask(["shell", "--detach-key", "q"]);
  expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining("cannot be the detach key")]);
  const missing = Tty.pairpty(place, ["shell", "--", "no-such-program"]);
  expect(await missing.ends()).toBe(2);
  await missing.shows("no-such-program");
  const unknown = Tty.pairpty(place, ["attach", "ffff"]);
  expect(await unknown.ends()).toBe(2);
  await unknown.shows('there is no terminal "ffff"');
}, 90_000);

test("C80 a window that takes nothing in holds no one up", async () => {
  const { endpoints, tokens, relay, workspace } = await ready();
  const opened = await askRelay(`${relay}/w/${workspace}/pty/spawn`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokens.edit}` },
    body: JSON.stringify({ command: ["/bin/sh"] }),
  });
  const { id }: Terminal = await opened.json();
  const previous = process.env["XDG_RUNTIME_DIR"];
  process.env["XDG_RUNTIME_DIR"] = place.environment["XDG_RUNTIME_DIR"];
  const { runtime } = ensureWorkspaceFolders(place.folder);
  process.env["XDG_RUNTIME_DIR"] = previous;
  const stuck = createConnection(join(runtime, "terminal.sock"));
  await new Promise((resolve) => stuck.once("connect", resolve));
  stuck.pause();
  const attach = toBytes(JSON.stringify({ type: "pty:attach", id }));
  stuck.write(encodeFrame(FrameType.peerMessage, 0, attach));
  using driver = await RawClient.connect(endpoints.peer, tokens.edit ?? "", { keep: false });
  driver.attach(id);
  await driver.attached(id);
  // More than the bridge keeps for one window, and the socket's buffers.
  driver.type(id, "seq 1 250000\r");
  await driver.until(
    () => (driver.of(id).next > 1_800_000 ? true : undefined),
    "the flood",
    60_000,
  );
  expect(driver.of(id)).toMatchObject({ starts: 1, holes: 0 });
  stuck.destroy();
}, 90_000);

test("C77 shell needs no relay: one that cannot be reached costs nothing but the links", async () => {
  const apart = new Place();
  // A port that nobody listens on: the discard service's.
  apart.environment["PAIRPTY_RELAY"] = "http://127.0.0.1:9";
  const here = Tty.pairpty(apart, ["shell", "--", "/bin/sh"]);
  await prompts(here);
  here.type("echo wor''ks\r");
  await here.shows("works");
  const links = await apart.run([]);
  expect([links.code, links.stderr]).toEqual([
    5,
    expect.stringContaining("http://127.0.0.1:9 cannot be reached"),
  ]);
  // It is told why there are no links, and the terminal runs on.
  here.type("echo still''here\r");
  await here.shows("stillhere");
  here.type("exit\r");
  expect(await here.ends()).toBe(0);
  await end(apart);
});
