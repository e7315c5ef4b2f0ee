// Full-screen programs, wide characters and accessibility, in a real browser.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROMPT, Visitor, startBrowser } from "../support/browser.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { has } from "../support/tools.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const browser = await startBrowser();

describe.skipIf(!browser)("in a terminal of the page", () => {
  let place: Place;
  let product: Product;
  let ana: Visitor;

  beforeAll(async () => {
    place = new Place();
    product = await place.start();
    ana = await Visitor.come(browser, product.ready.links.edit);
    await ana.open();
  });
  afterAll(async () => {
    await ana.leave();
    await place[Symbol.asyncDispose]();
  });

  test("W2 wide characters and emoji take the cells that programs expect", async () => {
    await ana.type("clear; printf '你好|👍|é|%s\\n' x\n");
    await ana.shows(/^你好\|👍\|é\|x$/m);
    const cells = await ana.page.evaluate(() => {
      const host = document.querySelector<HTMLElement & { terminal?: Cells }>(".host");
      const buffer = host?.terminal?.buffer.active;
      const line = Array.from({ length: buffer?.length ?? 0 }, (_, row) =>
        buffer?.getLine(row),
      ).find((one) => one?.translateToString(true).startsWith("你好"));
      return Array.from({ length: 11 }, (_, column) => line?.getCell(column)?.getChars());
    });
    expect(cells).toEqual(["你", "", "好", "", "|", "👍", "", "|", "é", "|", "x"]);
    // And they are painted there: the x stands ten cells from the left.
    await ana.page.waitForFunction(() =>
      [...document.querySelectorAll(".xterm-rows > div")].some((one) =>
        one.textContent.startsWith("你好"),
      ),
    );
    const offset = await ana.page.evaluate(() => {
      const row = [...document.querySelectorAll(".xterm-rows > div")].find((one) =>
        one.textContent.startsWith("你好"),
      );
      if (!row) return 0;
      const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      let found = 0;
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.textContent?.indexOf("x") ?? -1;
        if (at < 0) continue;
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const box = range.getBoundingClientRect();
        found = (box.left - row.getBoundingClientRect().left) / box.width;
      }
      return found;
    });
    expect(offset).toBeGreaterThan(9.5);
    expect(offset).toBeLessThan(10.5);
  });

  test.skipIf(!has("less"))("W2 less fills the screen and gives it back", async () => {
    await ana.type("clear; seq 1 500 | less\n");
    const { rows } = await ana.size();
    await ana.shows(/\n:$/);
    await ana.type("G");
    await ana.shows("\n500");
    expect((await ana.lines()).length).toBe(rows);
    await ana.type("q");
    await ana.shows(PROMPT);
    await ana.type("echo back-$((1+1))\n");
    await ana.shows("back-2");
    expect((await ana.lines()).join("\n")).not.toContain("\n499");
  });

  test.skipIf(!has("vim"))("W2 vim edits, and its queries leave no litter", async () => {
    await ana.type("clear; vim -u NONE -N note.txt\n");
    await ana.shows("~\n~");
    await ana.page.waitForTimeout(500);
    await ana.type("ihello 你好 from vim");
    await ana.press("Escape");
    // It waits for a second: the key could be the start of a longer one.
    await expect
      .poll(async () => (await ana.lines()).at(-1), { timeout: PATIENCE_MS })
      .not.toContain("INSERT");
    await ana.type(":wq\n");
    // What is typed ahead of its end, a program may throw away.
    await ana.shows(PROMPT);
    await ana.type("clear; cat note.txt; echo done-$((1+1))\n");
    await ana.shows("done-2");
    expect(await ana.lines()).toContain("hello 你好 from vim");
  });

  test.skipIf(!has("tmux"))("W2 tmux runs inside", async () => {
    await ana.type("clear; tmux -L pairpty-test -f /dev/null new -s inner\n");
    await ana.shows("[inner]");
    await ana.type("echo in-tmux-$((1+1))\n");
    await ana.shows("in-tmux-2");
    await ana.type("tmux kill-server\n");
    await ana.shows("exited]");
  });

  test("W2 nothing on the page broke the content policy", () => {
    expect(ana.faults).toEqual([]);
  });
});

interface Cells {
  buffer: {
    active: {
      length: number;
      getLine(row: number):
        | {
            translateToString(trim: boolean): string;
            getCell(column: number): { getChars(): string } | undefined;
          }
        | undefined;
    };
  };
}
