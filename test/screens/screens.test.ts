// Screens as they are fed from a real pty host, by bridges that come and go.

import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createEmulator, writeNow } from "../../bridge/screens/emulator.ts";
import type { TerminalPool } from "../../bridge/terminals/pool.ts";
import type { PoolTerminal } from "../../bridge/terminals/terminal.ts";
import { launchHost } from "../support/pty-host.ts";
import { startScreens } from "../support/screens.ts";
import { readState } from "../support/screen-state.ts";
import { until } from "../support/waiting.ts";

/** One for all: each test has terminals of its own, and what others left there is quiet. */
let host: Awaited<ReturnType<typeof launchHost>>;
beforeAll(async () => {
  host = await launchHost();
});
afterAll(() => host.end());

test("F2 a view is what a person would see", async () => {
  const { run, screens, shows } = await startScreens(host);
  const script = "printf '\\033]2;a title\\007one\\r\\ntwo\\033[1;30Hhere\\033[5;3H'; exec cat";
  const terminal = await run(script, 40, 6);
  await shows(terminal, "here");
  const view = await screens.view(terminal);
  expect(view).toMatchObject({
    cols: 40,
    rows: 6,
    cursor: { x: 2, y: 4 },
    bufferType: "normal",
    title: "a title",
  });
  expect(view.lines[0]).toBe(`one${" ".repeat(26)}here`);
  expect(view.lines[1]).toBe("two");
  expect(view.wrapped).toEqual([false, false, false, false, false, false]);
});

test("F2 a snapshot has everything that was printed before it was asked for", async () => {
  const { run, screens, pool } = await startScreens(host);
  const terminal = await run("stty -echo; printf ready; exec cat", 60, 10);
  await printed(pool, terminal, 5);
  let typed = "ready";
  for (let turn = 0; turn < 8; turn++) {
    typed += `line ${turn}\n`;
    pool.input(terminal, Buffer.from(`line ${turn}\n`));
    const length = typed.length + turn + 1;
    await printed(pool, terminal, length);
    const { lines } = await screens.view(terminal);
    expect(lines.join("\n")).toContain(`line ${turn}`);
    expect((await screens.snapshot(terminal)).offset).toBeGreaterThanOrEqual(length);
  }
});

test("F9 a file of huge numbers holds no one up", async () => {
  const { run, screens, shows } = await startScreens(host);
  const repeats = "ILMSTZb"
    .split("")
    .map((final) => `a\\033[2147483647${final}`)
    .join("");
  const terminal = await run(`printf '${repeats}\\033[H\\033[Jhere'; exec cat`, 40, 6);
  await shows(terminal, "here");
  expect((await screens.view(terminal)).lines[0]).toBe("here");
});

test("F10 F19 what takes for ever to draw is left out, and everyone has a turn meanwhile", async () => {
  const { run, screens, shows, pool } = await startScreens(host);
  const repeat = (text: string) => `yes "$(printf '${text}')" | tr -d '\\n' | head -c 350000`;
  const scrolls = repeat("\\033[1000S\\033[1000T\\033[1000L\\033[2J\\033c");
  const script = `${scrolls}; printf '\\033[?2004h'; ${repeat("\\033[1000S")}; printf end; exec cat`;
  const terminal = await run(script, 1000, 200);
  await until("it is over", async () => {
    const { end } = await pool.screenState(terminal, 0, false);
    return end > 700_000;
  });
  // Two seconds of drawing are left out. By this clock they are over in a tenth of that.
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => 10 * now());
  onTestFinished(() => clock.mockRestore());
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  await shows(terminal, "end");
  clearInterval(others);
  const { data } = await screens.snapshot(terminal);
  expect(data).toContain("end");
  // In one go it would take minutes, with a turn every 16 KiB at most.
  expect(turns).toBeGreaterThan(20);
});

test("F14 a size belongs to the bytes it came between", async () => {
  const { run, screens, pool, shows } = await startScreens(host);
  const terminal = await run("stty -echo; printf '\\033[31m'; exec cat", 20, 5);
  await printed(pool, terminal, 5);
  pool.input(terminal, Buffer.from(`${"a".repeat(30)}\n`));
  await printed(pool, terminal, 5 + 32);
  pool.resize(terminal, 40, 5);
  pool.input(terminal, Buffer.from(`${"b".repeat(30)}\n`));
  await printed(pool, terminal, 5 + 64);
  pool.resize(terminal, 10, 8);
  pool.input(terminal, Buffer.from("end\n"));
  await shows(terminal, "end");
  // Fed in one go, long after; as if it had been there all along.
  const expected = createEmulator(20, 5);
  writeNow(expected, `\x1b[31m${"a".repeat(30)}\r\n`);
  expected.resize(40, 5);
  writeNow(expected, `${"b".repeat(30)}\r\n`);
  expected.resize(10, 8);
  writeNow(expected, "end\r\n");
  const { data, cols, rows } = await screens.snapshot(terminal);
  const fresh = createEmulator(cols, rows);
  writeNow(fresh, data);
  expect(readState(fresh)).toEqual(readState(expected));
});

test("F5 after a flood the screen is right, with the modes from before it", async () => {
  const { run, screens, pool } = await startScreens(host);
  const script =
    "printf '\\033[?2004h\\033[?1h\\033[2 q\\033]2;early\\007'; seq 1 350000; printf 'done'; exec cat";
  const terminal = await run(script);
  await until("it is over", async () => {
    const { first, end } = await pool.screenState(terminal, 0, false);
    return first > 0 && end > 2_600_000 && (await screens.view(terminal)).lines.includes("done");
  });
  const view = await screens.view(terminal);
  expect(view.title).toBe("early");
  expect(view.lines.at(-2)).toBe("350000");
  const { data, cols, rows } = await screens.snapshot(terminal);
  expect(Buffer.byteLength(data)).toBeLessThanOrEqual(90_000);
  const fresh = createEmulator(cols, rows);
  writeNow(fresh, data);
  expect(fresh.modes).toMatchObject({ bracketedPasteMode: true, applicationCursorKeysMode: true });
  expect(fresh.buffer.active.length).toBe(1000 + 24);
});

test("F6 a snapshot is the same after the bridge was killed", async () => {
  const first = await startScreens(host);
  const script =
    "stty -echo; printf '\\033[?1049h\\033[1;1Hdrawn long ago'; for i in 1 2 3 4 5; do read x; yes \"$(printf '\\033[5;1Hxxxxxxxx')\" | head -c 450000; printf '\\033[2;1H\\033[Kburst %s' $i; done; printf '\\033[3;1H\\033[Kdone'; exec cat";
  const terminal = await first.run(script);
  // Somebody looks now and then, so nothing is lost though the buffer is too short.
  for (let burst = 1; burst <= 5; burst++) {
    first.pool.input(terminal, Buffer.from("\n"));
    await first.shows(terminal, `burst ${burst}`);
  }
  await first.shows(terminal, "done");
  const before = await first.screens.snapshot(terminal);
  expect((await first.pool.screenState(terminal, 0, false)).first).toBeGreaterThan(0);
  expect((await first.lines(terminal))[0]).toBe("drawn long ago");
  first.die();
  const second = await startScreens(host);
  const again = second.pool.get(terminal.id);
  if (again === undefined) throw new Error("the terminal is gone");
  expect(await second.screens.snapshot(again)).toEqual(before);
  // And it goes on from there.
  second.pool.input(again, Buffer.from("more\n"));
  await second.shows(again, "more");
});

test("F7 a program's question is answered once, with no one there to see it", async () => {
  const { run, shows } = await startScreens(host);
  const script =
    "stty raw -echo min 0 time 30; printf '\\033[4;7H\\033[6n'; head -c 6 | od -c | head -1; stty time 2; printf '\\r\\nrest:'; od -c; exec sleep 60";
  const terminal = await run(script);
  await shows(terminal, "033   [   4   ;   7   R");
  await shows(terminal, "rest:0000000");
});

test("F15 a question is answered by the next bridge if the last one died", async () => {
  const first = await startScreens(host);
  first.die();
  const client = await host.join();
  const script =
    "stty raw -echo; printf '\\033[>c'; head -c 11 | od -c | head -1; printf 'answered'; exec cat";
  // Spawned by hand, by a bridge that answers nothing.
  const meta = { cwd: "/", owner: "user", visible: true, createdAt: 1 };
  const { handle, id: asking } = await client.spawn(script, { meta });
  await until("it asks", async () => (await client.end(handle)) >= 4);
  client.close();
  await client.gone();
  const second = await startScreens(host);
  const terminal = second.pool.running().find(({ id }) => id === asking);
  if (terminal === undefined) throw new Error("the terminal is gone");
  await second.shows(terminal, "answered");
  await second.shows(terminal, "033   [   >   0   ;   2   7   6   ;   0   c");
});

test("F16 a file full of questions is answered in part, and harms no one", async () => {
  const { run, pool, shows } = await startScreens(host);
  const terminal = await run(
    'stty raw -echo; i=0; while [ $i -lt 13 ]; do i=$((i+1)); s="$s\\033[6n\\033[6n\\033[6n\\033[6n\\033[6n\\033[6n\\033[6n\\033[6n\\033[6n\\033[6n"; done; i=0; while [ $i -lt 300 ]; do i=$((i+1)); printf "$s"; done; printf \'\\r\\nprinted\'; exec cat > /dev/null',
  );
  await shows(terminal, "printed");
  await until("no question is left", () => terminal.queries.length === 0);
  await pool.ping();
});

async function printed(pool: TerminalPool, terminal: PoolTerminal, length: number): Promise<void> {
  const isThere = async () => (await pool.screenState(terminal, 0, false)).end >= length;
  await until(`${length} bytes are printed`, isThere);
}
