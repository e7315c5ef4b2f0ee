// The same screen everywhere, cell by cell: in a page from the start, in one that came late, and in
// the bridge itself. One function reads all three: every cell's characters, width, colours, flags,
// underline and link, the cursor, the modes. The bridge's are read in the running bridge, in the
// emulator that it feeds and makes snapshots of, so neither a snapshot nor the text that programs are
// given stands between: the late page shows what became of the one, and the other is compared too.
// All of it, and what else a program's screen is in a browser, in two pages: each program has a
// terminal of its own, to which the late page goes once something stands there.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { BridgeMemory, INSPECTABLE } from "../support/bridge-memory.ts";
import { PROMPT, Visitor, startBrowser } from "../support/browser.ts";
import { shownBy } from "../support/cells.ts";
import { ESCAPE_CASES } from "../support/escape-cases.ts";
import { PageRun } from "../support/page.ts";
import { has } from "../support/tools.ts";
import { PATIENCE_MS, within } from "../support/waiting.ts";

const poll = { timeout: PATIENCE_MS, interval: 100 };
const browser = await startBrowser();

/** Less to draw and to compare than others have; `ESCAPE_CASES` want 80 × 24 at least. */
const WINDOW = { viewport: { width: 860, height: 580 } };

/** A command of no terminal's: it marks where a case ends. */
const MARK = 7_777;

const SOURCE = `// A comment with 你好 and 👍.
export function greet(name: string): string {
	return \`hello \${name}\`;${" "}
}
`;

/** Wide, combining, joined, ambiguous and right-to-left. */
const SHEET = [
  "你好，世界|漢字かな交じり|한국어|",
  "👍|🎉🎊|🚀|😀😁😂|❤️|✂️|☎️|",
  "👨‍👩‍👧|👍🏽|🇩🇪🇫🇷|1️⃣|",
  "e\u0301|a\u0308|o\u0302\u0323|नमस्ते|ก็|",
  "α±×÷°①②→█▓▒░┌─┐│└┘|",
  "שלום|مرحبا|",
  "ｆｕｌｌ|ﾊﾝｶｸ|",
  "\u200bzero\u200dwidth|soft\u00adhyphen|",
].join("\r\n");

/** Every kind of colour, look, underline and link, a gradient, and wide characters at the edge. */
function colours(): string {
  const ESC = "\u001B[";
  const [OSC, ST] = ["\u001B]", "\u001B\\"];
  let text = "";
  for (let row = 0; row < 2; row++) {
    for (let column = 0; column < 60; column++)
      text += `${ESC}48;2;${column * 4};${row * 180};${255 - column * 4}m${ESC}38;2;255;${column};0m${column % 10}`;
    text += `${ESC}0m\r\n`;
  }
  for (let index = 0; index < 256; index++)
    text += `${ESC}48;5;${index}m ${ESC}38:5:${255 - index}mx`;
  text += `${ESC}0m\r\n`;
  for (const look of [1, 2, 3, 4, 5, 7, 8, 9, 21, 53])
    text += `${ESC}${look}mlook ${look}${ESC}0m `;
  text += "\r\n";
  for (const style of [1, 2, 3, 4, 5])
    for (const color of ["59", "58;5;200", "58;2;255;0;9"])
      text += `${ESC}4:${style};${color};3${style}mline${ESC}0m `;
  text += `\r\n${ESC}41mbefore the edge${ESC}K${ESC}0m\r\n`;
  for (const id of ["", "id=one"])
    text += `${OSC}8;${id};https://example.com/${id}${ST}${ESC}1mlinked${ESC}0m too${OSC}8;;${ST} `;
  text += `\r\n${ESC}7;45m${ESC}2Kinverse, erased${ESC}0m\r\n`;
  return text + `${ESC}44m${ESC}999C你${ESC}0m\r\n`;
}

/** Of `ls`, yellow, grey on grey, and all of 16 on all of 16. */
function pairs(): string {
  const looks = ["30;42", "34;42", "37;41", "38;5;226", "38;5;232", "38;2;60;60;60;48;2;40;40;40"];
  for (let back = 0; back < 16; back++)
    for (let front = 0; front < 16; front++) looks.push(`38;5;${front};48;5;${back}`);
  return looks.map((look) => `\u001B[${look}mtext\u001B[0m`).join(" ");
}

describe.skipIf(!browser)("a screen is the same", () => {
  const run = new PageRun(browser, INSPECTABLE);
  let agent: Client;
  let memory: BridgeMemory;
  let ana: Visitor;
  let late: Visitor;

  beforeAll(async () => {
    const { links, endpoints } = run.product.ready;
    memory = await BridgeMemory.of(run.product);
    const made = await run.place.run(["share", "--role", "agent", "--json"]);
    const { token } = JSON.parse(made.stdout);
    agent = new Client({ name: "reader", version: "1" });
    await agent.connect(
      new StreamableHTTPClientTransport(new URL(endpoints.mcp), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    const files = {
      "greet.ts": SOURCE,
      "sheet.txt": SHEET,
      "colours.txt": colours(),
      "pairs.txt": pairs(),
      "cases.txt": ESCAPE_CASES.map(({ text }) => `\u001Bc${text}\u001B]${MARK};\u0007`).join(""),
    };
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(run.place.folder, name), text);
    ana = await Visitor.come(browser, links.edit, WINDOW);
    await ana.open();
    late = await Visitor.come(browser, links.view, WINDOW);
    await late.shows(PROMPT);
  });
  afterAll(async () => {
    memory.close();
    await agent.close();
    for (const visitor of [ana, late]) await visitor.leave();
  });

  /** What programs are told; the bridge's emulator has everything by then. */
  async function bridgeScreen(id: string): Promise<{ lines: string[]; cursor: string }> {
    const { contents } = await agent.readResource({ uri: `terminal://${id}/screen` });
    const [first] = contents;
    const view = JSON.parse(first && "text" in first ? first.text : "{}");
    return { lines: view.lines, cursor: `${view.cursor.x},${view.cursor.y}` };
  }

  /** Early, late, the bridge, and what it tells programs; and again after `next` was typed. */
  async function same(next: string): Promise<void> {
    const all = await ana.terminals();
    const id = all.at(-1) ?? "";
    const isAttached = () => late.sent.some((text) => /pty:attach/.test(text) && text.includes(id));
    expect(isAttached(), "the late page has not seen it yet").toBe(false);
    await late.press(`Alt+${all.length}`);
    await sameNow(id);
    expect(isAttached()).toBe(true);
    const before = (await shownBy(ana)).cells;
    await ana.type(next);
    await expect.poll(async () => (await shownBy(ana)).cells, poll).not.toEqual(before);
    await sameNow(id);
    expect([...ana.faults, ...late.faults]).toEqual([]);
  }

  /** Once nothing more is being drawn; a program that draws again is looked at again. */
  async function sameNow(id: string): Promise<void> {
    await settled(ana);
    await vi.waitFor(async () => {
      const early = await shownBy(ana);
      expect(await shownBy(late)).toEqual(early);
      const bridgeCells = await bridgeScreen(id);
      expect(padded(bridgeCells.lines, early.lines.length)).toEqual(padded(early.lines));
      expect(bridgeCells.cursor).toBe(early.cursor);
      expect(await memory.getScreen(id)).toEqual(early);
    }, poll);
  }

  test.skipIf(!has("vim"))(
    "F3 F12 W2 vim edits, is the same, and its queries leave no litter",
    async () => {
      await ana.open();
      await ana.type("vim -u NONE -N -c 'syntax on' -c 'set number mouse=a hlsearch' greet.ts\n");
      await ana.shows("hello");
      await ana.type("/name\n");
      await same("Goadded 你好 👍 at the end");
      await ana.press("Escape");
      // It waits for a second: the key could be the start of a longer one.
      await ana.page.waitForFunction(isLastLineWithout, "INSERT", { polling: 100 });
      await ana.type(":wq\n");
      // What is typed ahead of its end, a program may throw away.
      await ana.shows(PROMPT);
      await ana.type("clear; cat greet.ts; echo done-$((1+1))\n");
      await ana.shows("done-2");
      expect(await ana.lines()).toContain("added 你好 👍 at the end");
    },
  );

  test.skipIf(!has("less"))(
    "F3 F12 W2 less fills the screen, is the same, and gives it back",
    async () => {
      await ana.open();
      await ana.type("seq 1 3000 | sed 's/7/\\x1b[31m7\\x1b[0m/' | less -R\n");
      await ana.shows(/\n:$/);
      await ana.type("500g/77\n");
      await ana.shows("77");
      await same("G");
      expect((await ana.lines()).length).toBe((await ana.size()).rows);
      await ana.type("q");
      await ana.shows(PROMPT);
      await ana.type("echo back-$((1+1))\n");
      await ana.shows("back-2");
      expect((await ana.lines()).join("\n")).not.toContain("\n2999");
    },
  );

  test.skipIf(!has("tmux"))("F3 F12 W2 tmux runs inside, and is the same", async () => {
    await ana.open();
    await ana.type(
      "tmux -L pairpty-cells -f /dev/null new -s inner \\; set status-right '' \\; split-window -h \\; split-window -v\n",
    );
    await ana.shows("inner");
    await ana.type("seq 1 100; printf '\\e[44m你好 👍\\e[0m\\n'\n");
    await ana.shows("100");
    await ana.shows("你好 👍");
    await same("echo more-$((1+1))\n");
    await ana.shows("more-2");
    await ana.type("tmux -L pairpty-cells kill-server\n");
    await ana.shows("exited]");
  });

  test("F3 F12 emoji, wide and combining characters; colours of 24 bits, and every look", async () => {
    await ana.open();
    await ana.type("clear; cat sheet.txt; echo; cat colours.txt; echo do''ne\n");
    await ana.shows("done");
    // All of it is in view, and so compared.
    expect((await ana.lines())[0]).toContain("你好");
    expect((await shownBy(ana)).lines[0]).toContain("你好");
    await same("head -c 40 sheet.txt; echo; tail -n 5 colours.txt\n");
  });

  test("W2 WT10 wide characters, emoji and those of several parts take the cells that programs expect, and are painted there", async () => {
    await ana.type("clear; printf '你好|👍|é|x\\n👩‍👩‍👧|x\\n👍🏽|x\\n🇩🇪|x\\n'\n");
    await ana.page
      .locator(".panel[data-active=true] .xterm-rows > div", { hasText: /^🇩🇪\|x/u })
      .waitFor();
    const [first, ...others] = await ana.page.evaluate(placesOfX);
    const cells = ["你", "", "好", "", "|", "👍", "", "|", "é", "|", "x", ""];
    expect(first).toEqual({ painted: 10, cells });
    const places = others.map(({ painted, cells: all }) => [painted, all.indexOf("x")]);
    expect(places).toEqual([
      [7, 7],
      [5, 5],
      [3, 3],
    ]);
  });

  test("W9 text stands out from what is behind it, dark and light", async () => {
    const inverse = String.raw`printf '\e[7minverse\e[0m \e[8mhidden\e[0m\n'`;
    await ana.type(`clear; cat pairs.txt; echo; ${inverse}; echo do''ne\n`);
    const screen = ana.page.locator('[data-active="true"] .xterm-rows', { hasText: "done" });
    const grounds = new Set<string>();
    for (const colorScheme of ["dark", "light"] as const) {
      await ana.page.emulateMedia({ colorScheme });
      await screen.waitFor();
      // Text is drawn anew a frame after the ground that it stands on.
      await vi.waitFor(async () => {
        const drawn = await ana.page.evaluate(colorsDrawn);
        const texts = drawn.filter(({ text }) => text.startsWith("text"));
        expect(texts.length).toBeGreaterThan(200);
        // Colours are rounded to whole numbers.
        const faint = texts.filter(({ front, behind }) => contrast(front, behind) < 4.45);
        expect(faint, colorScheme).toEqual([]);
        const plain = drawn.find(({ text }) => text.includes("done"));
        expect(plain && contrast(plain.front, plain.behind), colorScheme).toBeGreaterThan(10);
        const turned = drawn.find(({ text }) => text === "inverse");
        expect([turned?.front, turned?.behind]).toEqual([plain?.behind, plain?.front]);
        // What a program hides stays hidden.
        expect(drawn.filter(({ text }) => text.includes("hidden"))).toEqual([]);
        expect(grounds).not.toContain(plain?.behind);
        grounds.add(plain?.behind ?? "");
      }, poll);
    }
    expect(ana.faults).toEqual([]);
  });

  test("Z24 escape sequences with known results, in a real browser as in the bridge", async () => {
    const { rows } = await ana.size();
    const asked = { mark: MARK, count: ESCAPE_CASES.length };
    const reading = ana.page.evaluate(screensAtMarks, asked);
    await ana.type("stty raw -echo; cat cases.txt; printf '\\ec'; stty sane\n");
    const shown = await within(reading, "not every case has been shown");
    const bridgeCells = ESCAPE_CASES.map(({ name }, at) => ({ name, ...shown[at] }));
    const wanted = ESCAPE_CASES.map(({ name, lines, cursor }) => ({
      name,
      lines: padded(lines, rows),
      cursor,
    }));
    expect(bridgeCells).toEqual(wanted);
    expect(ana.faults).toEqual([]);
  });
});

/** Once it is the same twice in a row. */
async function settled(visitor: Visitor): Promise<void> {
  let before = await shownBy(visitor);
  for (;;) {
    await visitor.page.waitForTimeout(300);
    const now = await shownBy(visitor);
    if (JSON.stringify(now) === JSON.stringify(before)) return;
    before = now;
  }
}

function padded(lines: readonly string[], to = lines.length): string[] {
  return Array.from({ length: to }, (_, row) => (lines[row] ?? "").trimEnd());
}

/** Runs in the page. */
function isLastLineWithout(word: string): boolean {
  const host = document.querySelector<Host>('.panel[data-active="true"] .host');
  const active = host?.terminal?.buffer.active;
  const last = active?.getLine(active.length - 1)?.translateToString(true);
  return last !== undefined && !last.includes(word);
}

/**
 * Runs in the page: the screen at each mark, exactly there, since a program's commands are heard in
 * their order with what it prints.
 */
async function screensAtMarks({
  mark,
  count,
}: {
  mark: number;
  count: number;
}): Promise<{ lines: string[]; cursor: string }[]> {
  const terminal = document.querySelector<Host>('.panel[data-active="true"] .host')?.terminal;
  if (!terminal) throw new Error("no terminal");
  return await new Promise((resolve) => {
    const screens: { lines: string[]; cursor: string }[] = [];
    terminal.parser.registerOscHandler(mark, () => {
      const { active } = terminal.buffer;
      const lines = Array.from({ length: terminal.rows }, (_, row) =>
        (active.getLine(active.baseY + row)?.translateToString(true) ?? "").trimEnd(),
      );
      screens.push({ lines, cursor: `${active.cursorX},${active.cursorY}` });
      if (screens.length === count) resolve(screens);
      return true;
    });
  });
}

/** Runs in the page: in each of the first four rows, where the x is painted, and what the cells have. */
function placesOfX(): { painted: number; cells: string[] }[] {
  const panel = document.querySelector('.panel[data-active="true"]');
  const terminal = panel?.querySelector<Host>(".host")?.terminal;
  const screen = panel?.querySelector(".xterm-screen");
  if (!terminal || !screen) throw new Error("no terminal");
  const { active } = terminal.buffer;
  const cell = screen.clientWidth / terminal.cols;
  return [...screen.querySelectorAll(".xterm-rows > div")].slice(0, 4).map((row, at) => {
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    let node = walker.nextNode();
    while (node && !node.textContent?.includes("x")) node = walker.nextNode();
    if (!node) throw new Error(`no x in ${row.textContent}`);
    const range = document.createRange();
    range.setStart(node, node.textContent?.indexOf("x") ?? 0);
    range.setEnd(node, range.startOffset + 1);
    const left = range.getBoundingClientRect().left - row.getBoundingClientRect().left;
    const line = active.getLine(active.viewportY + at);
    const cells = Array.from(
      { length: 12 },
      (_, column) => line?.getCell(column)?.getChars() ?? "",
    );
    return { painted: Math.round(left / cell), cells };
  });
}

interface Drawn {
  readonly text: string;
  readonly front: string;
  readonly behind: string;
}

/** Each piece of text in the terminal, with its colour and the one behind it. Runs in the page. */
function colorsDrawn(): Drawn[] {
  const screen = '.panel[data-active="true"] .xterm-rows span';
  return Array.from(document.querySelectorAll(screen), (span) => {
    let behind = "";
    for (let at: Element | null = span; at; at = at.parentElement) {
      behind = getComputedStyle(at).backgroundColor;
      if (behind !== "rgba(0, 0, 0, 0)") break;
    }
    return { text: span.textContent ?? "", front: getComputedStyle(span).color, behind };
  });
}

/** WCAG's. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(css: string): number {
  const [red = 0, green = 0, blue = 0] = (css.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

interface Host extends HTMLElement {
  terminal?: {
    cols: number;
    rows: number;
    parser: { registerOscHandler(code: number, handle: () => boolean): unknown };
    buffer: {
      active: {
        length: number;
        baseY: number;
        viewportY: number;
        cursorX: number;
        cursorY: number;
        getLine(row: number):
          | {
              translateToString(trim: boolean): string;
              getCell(column: number): { getChars(): string } | undefined;
            }
          | undefined;
      };
    };
  };
}
