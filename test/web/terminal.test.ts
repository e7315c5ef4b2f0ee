// What a terminal in the page can do beside showing its program, in a real browser.

import { describe, expect, test } from "vitest";
import { startBrowser } from "../support/browser.ts";
import { PageRun } from "../support/page.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const poll = { timeout: PATIENCE_MS };
const browser = await startBrowser();

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
      ana.page.evaluate(() => document.querySelector<Host>(".host")?.terminal?.getSelection());
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
});

interface Host extends HTMLElement {
  terminal?: { getSelection(): string };
}
