// The page in a real browser, against the real product. One person is there from the start and others
// come to them: a visit costs more than most of what is done in it.

import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PROMPT, Visitor, startBrowser } from "../support/browser.ts";
import { PageRun } from "../support/page.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const poll = { timeout: PATIENCE_MS };
const browser = await startBrowser();

describe.skipIf(!browser)("the page", () => {
  const run = new PageRun(browser);

  describe("of one who is there all the time", () => {
    let ana: Visitor;

    beforeAll(async () => {
      ana = await Visitor.come(browser, run.product.ready.links.edit);
    });
    afterEach(() => expect(ana.faults.splice(0)).toEqual([]));
    afterAll(() => ana.leave());

    test("C61 the page answers pings: its latency is known", async () => {
      await ana.status("Live");
      const { stdout } = await run.place.run(["status", "--json"]);
      const { people } = JSON.parse(stdout);
      expect(people).toEqual([expect.objectContaining({ roundTripMs: expect.any(Number) })]);
    });

    test("W2 W10 everything is done with the keyboard alone, and tabs are told apart", async () => {
      // With all that moves, which other tests do without.
      await ana.page.emulateMedia({ reducedMotion: "no-preference" });
      await ana.page.getByRole("button", { name: "Open a terminal" }).waitFor();
      await ana.open();
      await ana.type("echo first-$((6*7))\n");
      await ana.shows("first-42");
      await ana.open();
      await ana.type("echo second-$((6*7))\n");
      await ana.shows("second-42");

      await ana.press("Alt+ArrowLeft");
      await ana.shows("first-42");
      await ana.press("Alt+2");
      await ana.shows("second-42");
      // Both are shells in one folder; one then gives itself a name.
      const names = () => ana.page.getByRole("tab").allInnerTexts();
      const readTabs = async () =>
        (await names()).map((text) => text.replaceAll(/\s+/g, " ").trim());
      await expect.poll(readTabs, poll).toEqual(["1 work ×", "2 work ×"]);
      await ana.type("printf '\\033]2;the second\\007'\n");
      await expect.poll(readTabs, poll).toEqual(["1 work ×", "2 the second work ×"]);
      // Out of the terminal, along the tabs, and in again.
      await ana.press("Alt+0", "ArrowLeft");
      await ana.shows("first-42");
      await ana.press("Enter");
      await ana.type("echo again-$((6*7))\n");
      await ana.shows("again-42");

      await ana.press("Alt+/");
      await ana.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      await ana.press("Escape");
      await ana.type("echo after-$((6*7))\n");
      await ana.shows("after-42");

      await ana.press("Alt+w");
      await ana.page.getByRole("dialog").waitFor();
      await ana.press("Tab", "Enter");
      await expect.poll(() => ana.page.getByRole("tab").count(), poll).toBe(1);
      await ana.shows("second-42");
      await ana.press("Alt+0", "Delete");
      await ana.page.getByRole("dialog").waitFor();
      await ana.press("Tab", "Enter");
      await ana.page.getByRole("button", { name: "Open a terminal" }).waitFor();
      await ana.page.emulateMedia({ reducedMotion: "reduce" });
    });

    test("W5 an exit is shown with its code or its signal, until it is dismissed", async () => {
      await ana.open();
      await ana.type("exit 3\n");
      await ana.page.getByRole("tabpanel").getByText("exited with 3").waitFor();
      await ana.page.getByRole("tab").getByText("exit 3").waitFor();
      await ana.open();
      await ana.type("kill -9 $$\n");
      await ana.page.getByRole("tabpanel").getByText("killed by SIGKILL").waitFor();
      await ana.press("Alt+w");
      await expect.poll(() => ana.page.getByRole("tab").count(), poll).toBe(1);
      await ana.press("Alt+w");
      await ana.page.getByRole("button", { name: "Open a terminal" }).waitFor();
    });

    describe("and of others", () => {
      let ben: Visitor;

      beforeAll(async () => {
        ben = await Visitor.come(browser, run.product.ready.links.edit);
      });
      afterEach(() => expect(ben.faults.splice(0)).toEqual([]));
      afterAll(() => ben.leave());

      /** Ana's next terminal: its id, and the number by which keys go to it. */
      async function opened(): Promise<{ id: string; number: string }> {
        await ana.open();
        const tab = ana.page.getByRole("tab", { selected: true });
        const id = (await tab.getAttribute("id")) ?? "";
        return { id: id.replace("tab-", ""), number: await tab.locator(".tab-number").innerText() };
      }
      async function goTo(visitor: Visitor, { id, number }: { id: string; number: string }) {
        await visitor.page.locator(`#tab-${id}`).waitFor();
        await visitor.press(`Alt+${number}`);
      }

      test("W1 FR3 the token leaves the address bar and stays in this tab; the folder's name heads it", async () => {
        const { relay, workspace, tokens, links } = run.product.ready;
        await ana.status("Live");
        expect(ana.page.url()).toBe(`${relay}/w/${workspace}`);
        const heading = ana.page.getByRole("heading", { name: "work", exact: true });
        await heading.waitFor();
        expect(await heading.getAttribute("title")).toBe(`Workspace ${workspace}`);
        expect(await ana.page.title()).toBe("work · pairpty");
        const kept = await ana.page.evaluate(() => JSON.stringify(sessionStorage));
        expect(kept).toContain(tokens.edit);
        const lasting = await ana.page.evaluate(
          () => JSON.stringify(localStorage) + document.cookie,
        );
        expect(lasting).not.toContain("pp_");
        expect(lasting).not.toContain(tokens.edit);
        await ana.page.reload();
        await ana.status("Live");

        const carol = await Visitor.come(browser, `${relay}/w/${workspace}`);
        await carol.page.getByRole("heading", { name: "You need an invite link" }).waitFor();
        expect(carol.sockets).toBe(0);
        await carol.page.getByLabel("Link or token").fill(links.edit);
        await carol.press("Enter");
        await carol.status("Live");
        expect(carol.faults).toEqual([]);
        await carol.leave();
      });

      test("W2 WT52 a long paste arrives whole, once it is confirmed", async () => {
        await ana.open();
        const lines = 4000;
        const text = countTo(lines)
          .map((n) => `${n} é 你好 👍 quoted "text"\n`)
          .join("");
        await ana.type(`stty -echo; echo rea''dy; head -n ${lines} | md5sum; stty echo\n`);
        await ana.shows("ready");
        await ana.page.evaluate((pasted) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", pasted);
          document.activeElement?.dispatchEvent(
            new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
          );
        }, text);
        await ana.page.getByRole("dialog", { name: `Paste ${lines} lines?` }).waitFor();
        await ana.page.getByRole("button", { name: "Paste" }).click();
        await ana.shows(createHash("md5").update(text).digest("hex"));
      });

      test("W70 letters right behind a switch go to where it led, also the first time, and none is lost", async () => {
        const [first, second] = [await opened(), await opened()];
        // Looks at the first, and has never looked at the second.
        await goTo(ben, first);
        await ben.shows(PROMPT);
        await ben.page.locator(`#tab-${second.id}`).waitFor();
        ben.sent.length = 0;
        const line = "echo right-$((6*7))\n";
        await ben.press(`Alt+${second.number}`);
        await ben.type(line);
        await ben.shows("right-42");
        await ben.press(`Alt+${first.number}`);
        await ben.type(line);
        await ben.shows("right-42");
        const typed = ben.sent
          .map((text) => JSON.parse(text))
          .filter(({ type }) => type === "pty:input");
        const by = (wanted: { id: string }) =>
          typed.flatMap(({ id, data }) => (id === wanted.id ? [data] : [])).join("");
        expect([by(first), by(second)]).toEqual(Array(2).fill(line.replace("\n", "\r")));
      });

      test("W2 a second page joins; whoever types gives the size, the other shows it", async () => {
        const shared = await opened();
        await ana.type("echo from-ana-$((1+1))\n");
        await ana.shows("from-ana-2");
        // Opened before the page knew its room, it is made to fit behind its first prompt.
        await expect.poll(() => ana.size(), poll).not.toEqual({ cols: 80, rows: 24 });
        const large = await ana.size();

        await ben.page.setViewportSize({ width: 640, height: 480 });
        await goTo(ben, shared);
        await ben.shows("from-ana-2");
        await expect.poll(() => ben.size(), poll).toEqual(large);
        const panel = ben.page.locator(".panel[data-active=true]");
        await panel.getByText("edit link is typing").waitFor();
        await panel.getByText("Scaled to fit").waitFor();
        await panel.click();
        await ben.type("echo from-ben-$((1+1))\n");
        await ana.shows("from-ben-2");
        await expect.poll(() => ben.size().then(({ cols }) => cols), poll).toBeLessThan(large.cols);
        const small = await ben.size();
        await expect.poll(() => ana.size(), poll).toEqual(small);
        await ana.type("echo back-$((1+1))\n");
        await ben.shows("back-2");
        // Two who type in turn share what fits both: no program is resized with every line.
        expect([await ana.size(), await ben.size()]).toEqual([small, small]);
      });

      describe("and of one who only watches", () => {
        let vic: Visitor;

        beforeAll(async () => {
          vic = await Visitor.come(browser, run.product.ready.links.view);
        });
        afterEach(() => expect(vic.faults.splice(0)).toEqual([]));
        afterAll(() => vic.leave());

        test("W2 the program has the size of the panel, also after the window changed", async () => {
          const shared = await opened();
          await expect.poll(() => ana.size().then(({ cols }) => cols), poll).toBeGreaterThan(100);
          const before = await ana.size();
          // For everybody, before a key is pressed.
          await goTo(vic, shared);
          await vic.shows(/[$#]/);
          await expect.poll(() => vic.size(), poll).toEqual(before);
          await ana.type("stty size\n");
          await ana.shows(`${before.rows} ${before.cols}`);
          await ana.page.setViewportSize({ width: 700, height: 500 });
          await expect
            .poll(() => ana.size().then(({ cols }) => cols), poll)
            .toBeLessThan(before.cols);
          const after = await ana.size();
          await ana.type("stty size\n");
          await ana.shows(`${after.rows} ${after.cols}`);
        });

        test("W4 a view link watches, says so, and sends no input", async () => {
          await goTo(vic, await opened());
          await vic.page.getByText("read-only").waitFor();
          expect(await vic.page.getByRole("button", { name: "New" }).count()).toBe(0);
          await ana.type("echo seen-$((1+1))\n");
          await vic.shows("seen-2");
          await vic.page.locator(".panel[data-active=true]").click();
          await vic.type("echo not-$((1+1))\n");
          await vic.page.getByText("Read-only: this link cannot type.").waitFor();
          await vic.press("Alt+n", "Alt+w");
          expect(vic.sent.filter((text) => /pty:(input|resize|close)/.test(text))).toEqual([]);
          expect(vic.sent.some((text) => text.includes("pty:attach"))).toBe(true);
          await ana.type("echo mark-$((1+1))\n");
          await ana.shows("mark-2");
          expect((await ana.lines()).join("\n")).not.toContain("not-2");
        });

        test("W83 a program's query is answered once, however many look on", async () => {
          const shared = await opened();
          await ana.type("echo mark-$((1+1))\n");
          for (const visitor of [ben, vic]) {
            await goTo(visitor, shared);
            await visitor.shows("mark-2");
          }
          await ana.type(
            "printf '\\e[6n'; IFS= read -rs -d R -t 3 one; read -rs -n 1 -t 1 two; echo \"${#one}:${#two}.\"\n",
          );
          await ana.shows(/^[4-9]:0\.$/m);
        });
      });
    });
  });

  test("W6 a refused token is explained and not tried again", async () => {
    const { relay, workspace } = run.product.ready;
    const ana = await run.visit(`${relay}/w/${workspace}#pp_0000000000_${"0".repeat(32)}`);
    await ana.page.getByRole("heading", { name: "This link is not valid here" }).waitFor();
    await ana.page.getByText("pairpty share").waitFor();
    await ana.page.waitForTimeout(2500);
    expect(ana.sockets).toBe(1);
    expect(ana.faults).toEqual([]);
  });

  test("FR19 FR20 what the browser keeps are hashed files of the page, no token and no address with one", async () => {
    const ana = await run.visit(undefined, { serviceWorkers: "allow" });
    const { page } = ana;
    await ana.open();
    await page.evaluate(async () => await navigator.serviceWorker.ready);
    const from = new Map<string, boolean>();
    page.on("response", (response) => from.set(response.url(), response.fromServiceWorker()));
    // The first visit was before there was one: what it fetched is the browser's own to keep.
    await page.reload();
    await ana.shows(PROMPT);
    const kept = async (): Promise<string[]> =>
      await page.evaluate(async () => {
        const all = await Promise.all(
          (await caches.keys()).map(async (name) => {
            const cache = await caches.open(name);
            return await Promise.all(
              (await cache.keys()).map(async (request) => {
                const response = await cache.match(request);
                const headers = [...request.headers, ...(response?.headers ?? [])].join();
                return `${request.url} ${headers} ${await response?.text()}`;
              }),
            );
          }),
        );
        return all.flat();
      });
    const count = () =>
      page.evaluate(async () => {
        const names = await caches.keys();
        const all = names.map(async (name) => await (await caches.open(name)).keys());
        return (await Promise.all(all)).flat().length;
      });
    await expect.poll(count, poll).toBeGreaterThan(2);
    const { relay, workspace, tokens } = run.product.ready;
    for (const one of await kept()) {
      expect(one.split(" ")[0]).toMatch(/\/assets\/[\w.-]+-[\w-]{8}\.(js|css|svg)$/);
      for (const token of [tokens.edit, tokens.view]) expect(one).not.toContain(token);
      expect(one.split(" ")[0]).not.toContain(workspace);
    }
    await page.reload();
    await ana.shows(PROMPT);
    expect(from.get(`${relay}/w/${workspace}`)).toBe(false);
    expect([...from].filter(([url, is]) => is && !url.includes("/assets/"))).toEqual([]);
    expect([...from].some(([url, is]) => is && /page-.*\.js$/.test(url))).toBe(true);
    const manifest = await page.evaluate(async () => {
      const answer = await fetch("/manifest.webmanifest");
      const { icons } = await answer.json();
      const found = await Promise.all(
        icons.map(async ({ src }: { src: string }) =>
          (await fetch(src)).headers.get("content-type"),
        ),
      );
      return [answer.headers.get("content-type"), ...found];
    });
    expect(manifest).toEqual(["application/manifest+json", "image/png", "image/png", "image/png"]);
    expect(ana.faults).toEqual([]);
  });
});

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
