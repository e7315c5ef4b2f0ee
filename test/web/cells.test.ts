// The same screen everywhere, cell by cell: in a page from the start, in one that came late, and in
// the bridge itself. One function reads all three: every cell's characters, width, colours, flags,
// underline and link, the cursor, the modes. The bridge's are read in the running bridge, in the
// emulator that it feeds and makes snapshots of, so neither a snapshot nor the text that programs are
// given stands between: the late page shows what became of the one, and the other is compared too.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { BridgeMemory, INSPECTABLE } from "../support/bridge-memory.ts";
import type { Visitor } from "../support/browser.ts";
import { startBrowser } from "../support/browser.ts";
import { shownBy } from "../support/cells.ts";
import { ESCAPE_CASES } from "../support/escape-cases.ts";
import { PageRun } from "../support/page.ts";
import { SeedClient } from "../support/seed-client.ts";
import { has } from "../support/tools.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const SOON = { timeout: PATIENCE_MS, interval: 10 };
const poll = { timeout: PATIENCE_MS, interval: 100 };
const browser = await startBrowser();

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
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column < 60; column++)
      text += `${ESC}48;2;${column * 4};${row * 60};${255 - column * 4}m${ESC}38;2;255;${column};0m${column % 10}`;
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

describe.skipIf(!browser)("a screen is the same", () => {
  const run = new PageRun(browser, INSPECTABLE);
  let agent: Client;
  let memory: BridgeMemory;

  beforeAll(async () => {
    memory = await BridgeMemory.of(run.product);
    const made = await run.place.run(["share", "--role", "agent", "--json"]);
    const { token } = JSON.parse(made.stdout);
    agent = new Client({ name: "reader", version: "1" });
    await agent.connect(
      new StreamableHTTPClientTransport(new URL(run.product.ready.endpoints.mcp), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    writeFileSync(join(run.place.folder, "greet.ts"), SOURCE);
    writeFileSync(join(run.place.folder, "sheet.txt"), SHEET);
    writeFileSync(join(run.place.folder, "colours.txt"), colours());
  });
  afterAll(async () => {
    memory.close();
    await agent.close();
  });

  /** What programs are told; the bridge's emulator has everything by then. */
  async function bridgeScreen(id: string): Promise<{ lines: string[]; cursor: string }> {
    const { contents } = await agent.readResource({ uri: `terminal://${id}/screen` });
    const [first] = contents;
    const view = JSON.parse(first && "text" in first ? first.text : "{}");
    return { lines: view.lines, cursor: `${view.cursor.x},${view.cursor.y}` };
  }

  /** Early, late, the bridge, and what it tells programs; and again after `next` was typed. */
  async function same(ana: Visitor, next: string): Promise<void> {
    const late = await run.visit(run.product.ready.links.view);
    await late.status("Live");
    await sameNow(ana, late);
    const before = (await shownBy(ana)).cells;
    await ana.type(next);
    await expect.poll(async () => (await shownBy(ana)).cells, poll).not.toEqual(before);
    await sameNow(ana, late);
    expect([...ana.faults, ...late.faults]).toEqual([]);
  }

  /** Once nothing more is being drawn; a program that draws again is looked at again. */
  async function sameNow(ana: Visitor, late: Visitor): Promise<void> {
    const [id = ""] = await ana.terminals();
    await settled(ana);
    await vi.waitFor(async () => {
      const early = await shownBy(ana);
      expect(await shownBy(late)).toEqual(early);
      const told = await bridgeScreen(id);
      expect(padded(told.lines, early.lines.length)).toEqual(padded(early.lines));
      expect(told.cursor).toBe(early.cursor);
      expect(await memory.screenOf(id)).toEqual(early);
    }, poll);
  }

  test.skipIf(!has("vim"))("F3 vim", async () => {
    const ana = await run.visit();
    await ana.open();
    await ana.type("vim -u NONE -N -c 'syntax on' -c 'set number mouse=a hlsearch' greet.ts\n");
    await ana.shows("hello");
    await ana.type("/name\n");
    await same(ana, "Goadded 👍 at the end");
  });

  test.skipIf(!has("less"))("F3 less", async () => {
    const ana = await run.visit();
    await ana.open();
    await ana.type("seq 1 3000 | sed 's/7/\\x1b[31m7\\x1b[0m/' | less -R\n");
    await ana.shows(/\n:$/);
    await ana.type("500g/77\n");
    await ana.shows("77");
    await same(ana, "G");
  });

  test.skipIf(!has("tmux"))("F3 tmux", async () => {
    const ana = await run.visit();
    await ana.open();
    await ana.type(
      "tmux -L pairpty-cells -f /dev/null new -s inner \\; set status-right '' \\; split-window -h \\; split-window -v\n",
    );
    await ana.shows("inner");
    await ana.type("seq 1 100; printf '\\e[44m你好 👍\\e[0m\\n'\n");
    await ana.shows("100");
    await ana.shows("你好 👍");
    await same(ana, "echo more-$((1+1))\n");
    await ana.type("tmux -L pairpty-cells kill-server\n");
    await ana.shows("exited]");
  });

  test("F3 emoji, wide and combining characters", async () => {
    const ana = await run.visit();
    await ana.open();
    await ana.type("clear; cat sheet.txt; echo; echo do''ne\n");
    await ana.shows("done");
    await same(ana, "head -c 40 sheet.txt; echo\n");
  });

  test("F3 colours of 24 bits, and every look", async () => {
    const ana = await run.visit();
    await ana.open();
    await ana.type("clear; cat colours.txt; echo do''ne\n");
    await ana.shows("done");
    await same(ana, "tail -n 5 colours.txt\n");
  });

  test("Z24 escape sequences with known results, in a real browser as in the bridge", async () => {
    const { endpoints, tokens } = run.product.ready;
    using typist = await SeedClient.connect(endpoints.peer, tokens.edit);
    const ana = await run.visit();
    const before = await ana.terminals();
    await ana.open();
    await ana.type("stty raw -echo; echo rea''dy; exec cat\n");
    await ana.shows("ready");
    const id = (await ana.terminals()).find((known) => !before.includes(known)) ?? "";
    for (const { name, text, lines, cursor } of ESCAPE_CASES) {
      typist.type(id, `\u001bc${text}`);
      await vi.waitFor(async () => {
        const shown = await shownBy(ana);
        expect(shown.lines, name).toEqual(padded(lines, shown.lines.length));
        expect(shown.cursor, name).toBe(cursor);
      }, SOON);
    }
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
