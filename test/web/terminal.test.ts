// What a terminal in the page can do beside showing its program, in a real browser.

import { describe, expect, test } from "vitest";
import { startBrowser } from "../support/browser.ts";
import { PageRun } from "../support/page.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const poll = { timeout: PATIENCE_MS };
const browser = await startBrowser();

/** As docs/terminals.md gives it. */
const MARKING = String.raw`PS1='\[\e]133;A\a\]'$PS1; PS0='\e]133;C\a'; PROMPT_COMMAND='printf "\e]133;D;%s\a" $?'`;

describe.skipIf(!browser)("a terminal of the page", () => {
  const run = new PageRun(browser);

  test("WT1 finding shows every hit, from the newest back, by case and by regular expression", async () => {
    const ana = await run.visit();
    await ana.open();
    await ana.type(
      "for i in $(seq 1 200); do echo line $i; done; echo a Needle; echo END-$((1+1))\n",
    );
    await ana.shows("END-2");
    await ana.press("Control+Shift+F");
    const bar = ana.page.getByRole("search");
    const count = bar.getByRole("status");
    await bar.getByLabel("Find", { exact: true }).waitFor();
    await ana.type("needle");
    // Once in the command and once in its output.
    await expect.poll(() => count.textContent(), poll).toBe("2 of 2");
    await ana.press("Enter");
    await expect.poll(() => count.textContent(), poll).toBe("1 of 2");
    await ana.press("Alt+c");
    await expect.poll(() => count.textContent(), poll).toBe("No hits");
    await ana.press("Control+a");
    await ana.type("^line 1?7$");
    await expect.poll(() => count.textContent(), poll).toBe("No hits");
    await ana.press("Alt+r");
    await expect.poll(() => count.textContent(), poll).toBe("2 of 2");
    // It came into view.
    const selected = () =>
      ana.page.evaluate(() =>
        document.querySelector<Host>(".panel[data-active=true] .host")?.terminal?.getSelection(),
      );
    expect(await selected()).toBe("line 17");
    await ana.press("Enter", "Shift+Enter");
    expect(await selected()).toBe("line 17");
    await ana.press("Control+a");
    await ana.type("(");
    await expect.poll(() => count.textContent(), poll).toBe("Not a regular expression");
    ana.sent.length = 0;
    await ana.press("Escape");
    await bar.waitFor({ state: "detached" });
    await ana.type("echo back-$((1+1))\n");
    await ana.shows("back-2");
    expect(ana.sent.join("")).not.toContain("needle");
    expect(ana.faults).toEqual([]);
  });

  test("WT2 a terminal that is scrolled back counts what comes, and its letters have the size that one likes", async () => {
    const ana = await run.visit();
    await ana.open();
    await ana.type("seq 1 200; read -r; seq 301 307; read -r\n");
    await ana.shows("\n200");
    await ana.press("Shift+PageUp");
    const button = ana.page.locator(".to-bottom");
    await expect.poll(() => button.textContent(), poll).toContain("Jump to the bottom");
    // Somebody else goes on; this page stays where it is.
    const ben = await run.visit();
    await ben.shows("\n200");
    await ben.page.locator(".panel[data-active=true] .host").click();
    await ben.press("Enter");
    await expect.poll(() => button.textContent(), poll).toContain("8 new lines");
    await ana.press("Alt+End");
    await button.waitFor({ state: "detached" });
    await ben.leave();

    await ana.press("Enter");
    const before = await ana.size();
    await ana.press("Alt+=", "Alt+=");
    await expect.poll(async () => (await ana.size()).cols, poll).toBeLessThan(before.cols);
    const kept = () => ana.page.evaluate(() => localStorage.getItem("pairpty:font"));
    expect(await kept()).toBe("15");
    await ana.press("Alt+Shift+0");
    await expect.poll(() => ana.size(), poll).toEqual(before);
    expect(await kept()).toBeNull();

    await ana.page.getByRole("button", { name: "More" }).click();
    await ana.page.getByRole("menuitem", { name: /^Clear the scrollback/ }).click();
    await expect
      .poll(async () => (await ana.lines()).length, poll)
      .toBeLessThanOrEqual(before.rows);
    expect((await ana.lines()).join("\n")).toContain("307");
    expect(ana.faults).toEqual([]);
  });

  test("WT3 an ended terminal says why, and starts again in its folder", async () => {
    const ana = await run.visit();
    await ana.open();
    await ana.type("exit 127\n");
    await ana.page.getByRole("tabpanel").getByText("command not found").waitFor();
    const [ended] = await ana.terminals();
    await ana.page.getByRole("button", { name: "Start again" }).click();
    await expect
      .poll(async () => (await ana.terminals()).filter((id) => id !== ended).length, poll)
      .toBe(1);
    await expect.poll(async () => (await ana.terminals()).length, poll).toBe(1);
    await ana.shows(/[$#] *$/);
    await ana.type("echo again-$((1+1)); basename $PWD\n");
    await ana.shows("again-2\nwork");
    expect(ana.faults).toEqual([]);
  });

  test("WT5 WT6 WT7 links, the clipboard and commands of a shell that marks them", async () => {
    const ana = await run.visit();
    await ana.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const clipboard = () => ana.page.evaluate(() => navigator.clipboard.readText());
    await ana.open();
    await ana.press("Alt+Shift+C");
    await ana.page.getByText("This shell does not mark its commands").waitFor();
    await ana.type(`${MARKING}; clear\n`);
    await ana.type("seq 1 100\n");
    await ana.shows("\n100");
    await ana.type("ls ./nope\n");
    await ana.shows("No such");
    await ana.type("echo one; echo two-$((1+1))\n");
    await ana.shows(/two-2\n/);
    await ana.page.locator(".failed-mark").waitFor();
    await ana.press("Alt+Shift+C");
    await expect.poll(clipboard, poll).toBe("one\ntwo-2\n");
    await ana.press("Alt+PageUp", "Alt+PageUp", "Alt+Shift+C");
    await expect.poll(clipboard, poll).toMatch(/^ls: .*No such file or directory\n$/);
    await ana.press("Alt+PageUp", "Alt+PageDown", "Alt+PageUp", "Alt+Shift+C");
    await expect.poll(async () => (await clipboard()).split("\n").length, poll).toBe(101);
    await ana.press("Alt+End");

    await ana.type("clear; printf '\\e]52;c;aGVsbG8=\\a'\n");
    await ana.page.getByText("A program copied 5 characters to your clipboard.").waitFor();
    expect(await clipboard()).toBe("hello");
    await ana.type("printf '\\e]52;c;?\\a'; IFS= read -rst 9 -d '\\' x; printf '%q\\n' \"$x\"\n");
    await ana.page.getByRole("button", { name: "Let it read" }).click();
    await ana.shows("52;c;aGVsbG8=");

    await ana.type(
      "clear; printf '\\e]8;;https://ana@evil.example/x\\e\\\\https://good.example\\e]8;;\\e\\\\\\n'\n",
    );
    const row = ana.page.locator(".panel[data-active=true] .xterm-rows > div", {
      hasText: /^https:\/\/good\.example/,
    });
    // Not through the element: pointing at a link draws its row anew.
    const place = await row.boundingBox();
    if (!place) throw new Error("the link is not painted");
    await ana.page.mouse.move(place.x + 40, place.y + 8);
    await ana.page.locator(".xterm-cursor-pointer").waitFor();
    await ana.page.mouse.click(place.x + 40, place.y + 8);
    const dialog = ana.page.getByRole("dialog");
    await dialog.getByText("https://ana@evil.example/x").waitFor();
    expect(await dialog.locator("strong").textContent()).toBe("evil.example");
    expect(await dialog.getByRole("link").getAttribute("rel")).toBe("noopener noreferrer");
    await dialog.getByRole("button", { name: "Copy" }).click();
    await expect.poll(clipboard, poll).toBe("https://ana@evil.example/x");
    await ana.press("Escape");
    expect(ana.faults).toEqual([]);
  });

  test("WT6 who only watches gets nothing on the clipboard", async () => {
    const ana = await run.visit();
    await ana.open();
    const ben = await run.visit();
    await ben.shows(/[$#] *$/);
    await ana.type("printf '\\e]52;c;aGVsbG8=\\a'; printf '\\e]52;c;?\\a'; echo done-$((1+1))\n");
    await ben.shows("done-2");
    expect(await ben.page.locator(".toast").count()).toBe(0);
    expect(await ben.page.getByRole("dialog").count()).toBe(0);
  });

  test("WT8 a tab shows that its terminal rang, and how far its program is", async () => {
    const ana = await run.visit();
    await ana.open();
    await ana.type("read -r; printf '\\a\\e]9;4;1;42\\a'; read -r; printf '\\e]9;4;0;0\\a'\n");
    const [first] = await ana.terminals();
    await ana.open();
    const ben = await run.visit();
    await ben.press("Alt+1");
    await ben.shows("read -r");
    await ben.page.locator(".panel[data-active=true] .host").click();
    await ben.press("Enter");
    const chips = () => ana.page.locator(`#tab-${first} .chip`).allInnerTexts();
    await expect.poll(chips, poll).toEqual(["bell", "42 %"]);
    await ana.press("Alt+1");
    await expect.poll(chips, poll).toEqual(["42 %"]);
    await ben.press("Enter");
    await expect.poll(chips, poll).toEqual([]);
  });

  test("WT11 a phone has the keys that its keyboard lacks, and eight rows on its side", async () => {
    const ana = await run.visit(undefined, {
      viewport: { width: 844, height: 390 },
      hasTouch: true,
      isMobile: true,
    });
    await ana.status("Live");
    await ana.page.getByRole("button", { name: "Open a terminal" }).tap();
    await ana.shows(/[$#] *$/);
    await ana.page.locator(".panel[data-active=true] .host").tap();
    const key = (name: string) =>
      ana.page.getByRole("toolbar").getByRole("button", { name, exact: true });
    await ana.type("echo a");
    for (const name of ["|", "~", "-", "/"]) await key(name).tap();
    await ana.shows("echo a|~-/");
    await key("Ctrl").tap();
    await ana.type("u");
    await ana.type("cat -v");
    await ana.press("Enter");
    await key("Alt").tap();
    await key("Alt").tap();
    await ana.type("bc");
    await key("Alt").tap();
    await ana.type("d");
    await key("Page up").tap();
    await ana.shows("^[b^[cd^[[5~");
    const sides = await ana.page
      .locator(".key-bar button, .strip-end > button")
      .evaluateAll((all) =>
        all
          .map((one) => one.getBoundingClientRect())
          .map(({ width, height }) => Math.min(width, height)),
      );
    expect(Math.min(...sides)).toBeGreaterThanOrEqual(40);
    await ana.page.setViewportSize({ width: 844, height: 190 });
    await expect.poll(() => ana.page.locator(".bar").isVisible(), poll).toBe(false);
    await expect.poll(async () => (await ana.size()).rows, poll).toBeLessThan(10);
    expect((await ana.size()).rows).toBeGreaterThanOrEqual(8);
  });

  test("WT10 what follows an emoji of several parts is painted in its cell", async () => {
    const ana = await run.visit();
    await ana.open();
    await ana.type("clear; printf '👩‍👩‍👧|x\\n👍🏽|x\\n🇩🇪|x\\n'\n");
    await ana.shows(/🇩🇪\|x\n/u);
    await ana.page
      .locator(".panel[data-active=true] .xterm-rows > div", { hasText: /^🇩🇪/u })
      .waitFor();
    const places = await ana.page.evaluate(() => {
      const term = document.querySelector<Host>(".panel[data-active=true] .host")?.terminal;
      const screen = document.querySelector(".panel[data-active=true] .xterm-screen");
      if (!term || !screen) throw new Error("no terminal");
      const cell = screen.clientWidth / term.cols;
      return [...document.querySelectorAll(".panel[data-active=true] .xterm-rows > div")]
        .slice(0, 3)
        .map((row, at) => {
          const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
          let node = walker.nextNode();
          while (node && !node.textContent?.includes("x")) node = walker.nextNode();
          if (!node) return undefined;
          const range = document.createRange();
          range.setStart(node, node.textContent?.indexOf("x") ?? 0);
          range.setEnd(node, range.startOffset + 1);
          const left = range.getBoundingClientRect().left - row.getBoundingClientRect().left;
          const line = term.buffer.active.getLine(term.buffer.active.viewportY + at);
          const cells = Array.from({ length: 12 }, (_, column) =>
            line?.getCell(column)?.getChars(),
          );
          return [Math.round(left / cell), cells.indexOf("x")];
        });
    });
    expect(places).toEqual([
      [7, 7],
      [5, 5],
      [3, 3],
    ]);
  });

  test("WT9 a small window's size stands in the middle of a large one, in larger letters", async () => {
    const ana = await run.visit(undefined, { viewport: { width: 620, height: 420 } });
    await ana.open();
    // What it is before anybody's window counts.
    await expect.poll(() => ana.size(), poll).not.toEqual({ cols: 80, rows: 24 });
    const small = await ana.size();
    const ben = await run.visit(undefined, { viewport: { width: 1400, height: 900 } });
    await ben.shows(/[$#] *$/);
    await ben.page.getByText("Scaled to fit").waitFor();
    expect(await ben.size()).toEqual(small);
    const places = () =>
      ben.page.evaluate(() => {
        const [host, screen] = [
          ".panel[data-active=true] .host",
          ".panel[data-active=true] .xterm-screen",
        ].map((one) => document.querySelector(one)?.getBoundingClientRect());
        if (!host || !screen) throw new Error("no terminal");
        return {
          left: screen.left - host.left,
          right: host.right - screen.right,
          wide: screen.width,
        };
      });
    const { left, right, wide } = await places();
    expect(Math.abs(left - right)).toBeLessThan(30);
    expect(wide).toBeGreaterThan(small.cols * 9);
    await ben.press("Alt+-", "Alt+-");
    await expect.poll(async () => (await places()).wide, poll).toBeLessThan(wide);
    expect([await ben.size(), await ana.size()]).toEqual([small, small]);
  });
});

interface Host extends HTMLElement {
  terminal?: {
    cols: number;
    getSelection(): string;
    buffer: {
      active: {
        viewportY: number;
        getLine(row: number): { getCell(column: number): { getChars(): string } } | undefined;
      };
    };
  };
}
