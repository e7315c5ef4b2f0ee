import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, describe, test } from "vitest";
import { PROMPT, startBrowser } from "../support/browser.ts";
import type { Visitor } from "../support/browser.ts";
import type { SpawnRequest } from "../../protocol/pty.ts";
import { PageRun } from "../support/page.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const browser = await startBrowser();
const poll = { timeout: PATIENCE_MS };

describe.skipIf(!browser)("the tab bar", () => {
  const run = new PageRun(browser);

  async function spawn(request: SpawnRequest = {}): Promise<string> {
    const body = JSON.stringify(request);
    const answer = await run.product.http("/pty/spawn", { method: "POST", body });
    return (JSON.parse(await answer.text()) as { id: string }).id;
  }

  /** By id, of those that run: what stands on each tab, and what it is called in full. */
  async function faces(visitor: Visitor): Promise<string[]> {
    return await visitor.page.locator(".tab:not(.ended)").evaluateAll((tabs) =>
      tabs.map((tab) => {
        const text = (name: string) => tab.querySelector(name)?.textContent;
        const [full] = (tab as HTMLElement).title.split("\n");
        return `${tab.id}: ${text(".tab-number")} ${text(".tab-name")} (${full})`;
      }),
    );
  }

  test("W10 terminals have one name and number on every page, whenever it was opened", async () => {
    const ana = await run.visit();
    await ana.status("Live");
    const ids: string[] = [];
    for (let count = 1; count <= 9; count += 1) ids.push(await spawn());
    await expect.poll(() => faces(ana), poll).toHaveLength(9);
    // What ends stays on the pages that were there.
    await ana.press("Alt+4");
    await ana.shows(/[$#]/);
    for (const id of [ids[1], ids[3]]) await run.product.http(`/pty/${id}`, { method: "DELETE" });
    const ended = ana.page.locator(".tab.ended");
    await expect.poll(() => ended.count(), poll).toBe(2);
    const open = ids.filter((_, at) => at !== 1 && at !== 3);
    const numbers = [1, 3, 5, 6, 7, 8, 9];
    const wanted = open.map((id, at) => `tab-${id}: ${numbers[at]} work (work #${numbers[at]})`);
    const ben = await run.visit();
    await expect.poll(() => faces(ben), poll).toEqual(wanted);
    expect(await faces(ana)).toEqual(wanted);

    const selected = (visitor: Visitor) =>
      visitor.page.locator('[role="tab"][aria-selected="true"]').getAttribute("id");
    for (const visitor of [ana, ben]) {
      await visitor.press("Alt+7");
      expect(await selected(visitor)).toBe(`tab-${ids[6]}`);
    }
    // The next takes the lowest that is free, for everybody.
    const next = await spawn();
    const taken = `tab-${next}: 2 work (work #2)`;
    for (const visitor of [ana, ben]) {
      await expect.poll(async () => (await faces(visitor))[1], poll).toBe(taken);
    }
    const { stdout } = await run.place.run(["ls", "--json"]);
    const told = (JSON.parse(stdout) as { id: string; number: number }[]).map(
      ({ id, number }) => [id, number] as const,
    );
    expect(new Map(told)).toEqual(
      new Map([...open.map((id, at) => [id, numbers[at]] as const), [next, 2]]),
    );
    expect([...ana.faults, ...ben.faults]).toEqual([]);
  });

  test("W10 a title is everybody's: on pages that did not open the tab, on later ones, after a crash", async () => {
    const [ana, ben] = [await run.visit(), await run.visit()];
    await ana.open();
    await ana.open();
    const [, second = ""] = await ana.terminals();
    // Looks at the first, and has never opened the second.
    await ben.press("Alt+1");
    await ben.shows(PROMPT);
    const called = (visitor: Visitor) => visitor.page.locator(`#tab-${second} .tab-name`);
    const isCalled = (visitor: Visitor, name: string) =>
      expect.poll(() => called(visitor).innerText(), poll).toBe(name);
    await ana.type("printf '\\033]2;the \\342\\200\\256second\\007'\n");
    for (const visitor of [ana, ben]) await isCalled(visitor, "the second");
    await isCalled(await run.visit(), "the second");
    const { stdout } = await run.place.run(["ls", "--json"]);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ id: second, title: "the second", number: 2 }),
    );
    await run.product.kill();
    await run.start();
    await isCalled(await run.visit(), "the second");
    // As an editor does, and gives back.
    await ana.status("Live");
    await ana.type("printf '\\033[22;0t\\033]0;vim\\007'; read -r x; printf '\\033[23;0t'\n");
    for (const visitor of [ana, ben]) await isCalled(visitor, "vim");
    await ana.press("Enter");
    for (const visitor of [ana, ben]) await isCalled(visitor, "the second");
  });

  test("W8 another's larger screen is whole, and uses the width and height that there are", async () => {
    const ana = await run.visit(undefined, { viewport: { width: 1800, height: 1100 } });
    await ana.open();
    // Opened before the page knew its room, it is made to fit behind its first prompt.
    await expect.poll(() => ana.size().then(({ cols }) => cols), poll).toBeGreaterThan(200);
    const theirs = await ana.size();
    const ben = await run.visit(undefined, { viewport: { width: 1400, height: 700 } });
    await ben.shows(PROMPT);
    await expect.poll(() => ben.size(), poll).toEqual(theirs);
    const used = () =>
      ben.page.locator('.panel[data-active="true"] .host').evaluate((host) => {
        const screen = host.querySelector(".xterm-screen")?.getBoundingClientRect();
        const { width, height } = host.getBoundingClientRect();
        return [(screen?.width ?? 0) / width, (screen?.height ?? 0) / height];
      });
    const [width = 0, height = 0] = await used();
    expect(Math.min(width, height)).toBeGreaterThan(0.8);
    expect(Math.max(width, height)).toBeLessThanOrEqual(1);
    // Where it fits, its letters are no smaller than they would be.
    await ben.page.setViewportSize({ width: 1900, height: 1200 });
    const font = () =>
      ben.page
        .locator('.panel[data-active="true"] .host')
        .evaluate((host: Element & { terminal?: { options: { fontSize: number } } }) =>
          Number(host.terminal?.options.fontSize),
        );
    await expect.poll(font, poll).toBeGreaterThanOrEqual(13);
  });

  test("W11 a folder's name turns nothing around, on the tab and in its tooltip", async () => {
    const cwd = join(run.place.folder, "left\u202Ethgir");
    mkdirSync(cwd);
    await spawn({ cwd });
    const ana = await run.visit();
    const tab = ana.page.getByRole("tab");
    await tab.waitFor();
    const title = await tab.getAttribute("title");
    expect(title).toMatch(/^left thgir\n.*\/left thgir$/);
    expect(await tab.innerText()).toContain("left thgir");
  });

  test("W10 too many tabs for the window: names can be read, hidden ones are pointed to, the one in use is in view", async () => {
    for (let count = 1; count <= 9; count += 1) await spawn();
    const ana = await run.visit(undefined, { viewport: { width: 800, height: 600 } });
    await expect.poll(() => faces(ana), poll).toHaveLength(9);
    const { page } = ana;
    const [left, right] = [page.locator(".tab-edge.left"), page.locator(".tab-edge.right")];
    const isInView = () =>
      page.locator('[role="tab"][aria-selected="true"]').evaluate((tab) => {
        const list = tab.parentElement?.getBoundingClientRect();
        const box = tab.getBoundingClientRect();
        return list !== undefined && box.left >= list.left - 1 && box.right <= list.right + 1;
      });
    await ana.press("Alt+1");
    await right.waitFor();
    expect([await left.count(), await isInView()]).toEqual([0, true]);
    const cut = await page
      .locator(".tab-name")
      .evaluateAll((names) => names.filter((name) => name.scrollWidth > name.clientWidth).length);
    expect(cut).toBe(0);
    await ana.press("Alt+9");
    await left.waitFor();
    await right.waitFor({ state: "detached" });
    expect(await isInView()).toBe(true);
    await left.click();
    await right.waitFor();
    await page.setViewportSize({ width: 560, height: 600 });
    await expect.poll(isInView, poll).toBe(true);
    await ana.press("Alt+5");
    await expect.poll(isInView, poll).toBe(true);
    await left.waitFor();
    await right.waitFor();
    expect(ana.faults).toEqual([]);
  });
});
