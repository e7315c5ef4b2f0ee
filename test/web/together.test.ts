// Several people at one terminal, against the real product: who drives, whose size holds, and what
// a flood does to the rest of the page.

import { describe, expect, test } from "vitest";
import type { Visitor } from "../support/browser.ts";
import { PROMPT, startBrowser } from "../support/browser.ts";
import { PageRun } from "../support/page.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const poll = { timeout: PATIENCE_MS };
const browser = await startBrowser();

describe.skipIf(!browser)("together", () => {
  const run = new PageRun(browser);

  /** A link of one's own, so that the others see who it is. */
  async function link(label: string, role = "edit"): Promise<string> {
    const made = await run.place.run(["share", "--role", role, "--label", label]);
    expect(made.code, made.stderr).toBe(0);
    return /https?:\/\/\S+/.exec(made.stdout)?.[0] ?? "";
  }

  const says = async (visitor: Visitor, text: string): Promise<void> =>
    await visitor.page.getByText(text, { exact: true }).waitFor();
  const press = async (visitor: Visitor, name: string): Promise<void> =>
    await visitor.page.getByRole("button", { name }).click();

  test("W79 W80 take over, ask, hand over: everyone sees who drives, and whose window sizes", async () => {
    const ana = await run.visit(await link("ana"));
    await ana.open();
    await says(ana, "You are typing");
    const ben = await run.visit(await link("ben"));
    await sizesDoNotFight(ana, ben);
    const vic = await run.visit(run.product.ready.links.view);
    await says(ana, "2 watching");
    await drivingChanges(ana, ben, vic);
    expect([...ana.faults, ...vic.faults]).toEqual([]);
    await viewingSizesNothing(ana, vic);
  });

  async function drivingChanges(ana: Visitor, ben: Visitor, vic: Visitor): Promise<void> {
    await says(ben, "ana is typing");
    await says(vic, "ana is typing");
    await press(ben, "Ask to type");
    await says(ana, "“ben” asks to type");
    await press(ana, "Hand over");
    await says(ben, "You are typing");
    await says(ana, "ben is typing");
    await says(vic, "ben is typing");

    await press(ana, "Take over");
    await says(ana, "You are typing");
    await says(ben, "ana is typing");

    await ben.page.locator(".host").click();
    await ben.type("echo by-ben-$((1+1))\n");
    await ana.shows("by-ben-2");
    await says(ben, "You are typing");
    await says(vic, "ben is typing");
    await ben.leave();
    await says(vic, "Idle");
    await says(ana, "2 watching");
  }

  /** Two windows of different size; one that is hidden never sizes. */
  async function sizesDoNotFight(ana: Visitor, ben: Visitor): Promise<void> {
    // Typing claims the size of its window; until that has come it is the one of a new terminal.
    await expect.poll(() => ana.size(), poll).not.toEqual({ cols: 80, rows: 24 });
    const large = await ana.size();
    await ana.type("trap 'echo size-$((++n))' WINCH; PS1='> '; clear\n");
    await ana.shows(/^> *$/m);
    await expect.poll(() => ben.size(), poll).toEqual(large);
    // Growing, shrinking, hiding, coming back: only the driver's window counts.
    for (const width of [500, 900, 640]) {
      await ben.page.setViewportSize({ width, height: 480 });
      await ben.page.waitForTimeout(200);
    }
    await ben.hide(true);
    await ben.page.setViewportSize({ width: 560, height: 400 });
    await ben.hide(false);
    await ben.page.reload();
    await expect.poll(() => ben.size(), poll).toEqual(large);
    await ana.type("echo st''ill\n");
    await ana.shows("still");
    expect((await ana.lines()).join("\n")).not.toContain("size-");
    expect(await ana.size()).toEqual(large);
    // And once it is the driver's, once.
    await ana.page.setViewportSize({ width: 900, height: 600 });
    await ana.shows("size-1");
    const medium = await ana.size();
    await expect.poll(() => ben.size(), poll).toEqual(medium);
    // A driver that nobody can see keeps the size as it is.
    await ana.hide(true);
    await ana.page.setViewportSize({ width: 700, height: 500 });
    await ana.page.waitForTimeout(300);
    expect(await ben.size()).toEqual(medium);
    await ana.hide(false);
  }

  async function viewingSizesNothing(ana: Visitor, vic: Visitor): Promise<void> {
    await ana.leave();
    await vic.page.getByText("watching").waitFor({ state: "detached" });
    const size = await vic.size();
    await vic.page.setViewportSize({ width: 600, height: 400 });
    await vic.page.waitForTimeout(300);
    expect(await vic.size()).toEqual(size);
  }

  test("W8 W3 a flood in one terminal leaves the others usable; a late page gets a screen, not the whole past", async () => {
    const ana = await run.visit();
    await ana.open();
    await ana.open();
    await ana.press("Alt+1");
    await ana.shows(PROMPT);
    await ana.type("yes 'a flood that does not end, of coloured \u001B[32mlines\u001B[0m'\n");
    await ana.shows("a flood that does not end");
    // Only this much: as long as it goes on it takes all that the machine has.
    await ana.press("Alt+2");
    await ana.type("echo typed-$((1+1))\n");
    await ana.shows("typed-2");
    await ana.press("Alt+1");
    await ana.press("Control+c");
    await ana.shows(PROMPT);
    const [flooded] = await ana.terminals();
    await run.product.http(`/pty/${flooded}`, { method: "DELETE" });
    await ana.page.locator(".tab.ended").waitFor();
    await ana.press("Alt+2");
    await lateComesAScreen(ana);
    expect(ana.faults).toEqual([]);
  });

  /** [W3] Of a terminal that printed a good deal more than that. */
  async function lateComesAScreen(ana: Visitor): Promise<void> {
    await ana.type("seq -f line-%.0f 1 12000; echo en''d\n");
    await ana.shows("end");
    const ben = await run.visit(run.product.ready.links.view);
    await ben.shows("end");
    expect(ben.bytes).toBeGreaterThan(0);
    expect(ben.bytes).toBeLessThan(100_000);
    const lines = (await ben.lines()).flatMap((line) => /^line-(\d+)$/.exec(line)?.[1] ?? []);
    expect(lines.at(-1)).toBe("12000");
    expect(lines.length).toBeGreaterThan(900);
  }
});
