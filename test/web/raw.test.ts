// The page's side of the raw rendition, in a real browser, against a room that says what it is told.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { toBytes } from "../../protocol/text.ts";
import { Visitor, startBrowser } from "../support/browser.ts";
import type { FakePeer } from "../support/fake-room.ts";
import { FakeRoom, TERMINAL } from "../support/fake-room.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const MiB = 1 << 20;

const { id } = TERMINAL;
const browser = await startBrowser();
const poll = { timeout: PATIENCE_MS };

describe.skipIf(!browser)("a page that hears raw bytes", () => {
  let room: FakeRoom;
  let ana: Visitor;
  let peer: FakePeer;

  async function arrive(): Promise<void> {
    room = await FakeRoom.open();
    ana = await Visitor.come(browser, room.link());
    peer = await room.peer(1);
    peer.terminals(TERMINAL);
    await peer.request("pty:attach");
  }
  const leave = async (): Promise<void> => {
    await ana.leave();
    room.close();
  };

  describe("one page, whose terminal each test begins anew with a snapshot", () => {
    beforeAll(arrive);
    afterAll(leave);
    beforeEach(async () => {
      peer.acks.length = 0;
      peer.attached({ snapshot: "" });
      await peer.until("ack of the clean screen", () => peer.acks.length > 0);
      peer.requests.length = 0;
      peer.acks.length = 0;
    });

    test("W7 W87 W73 a snapshot, what overlaps it, and characters cut in two, drawn with elements", async () => {
      peer.attached({ offset: 100, next: 100, snapshot: "\u001B[?2004hscreen\r\n" });
      // Begins before the snapshot: three bytes of it are known.
      peer.bytes(97, "xyznew 你");
      const [first, ...rest] = toBytes("好");
      peer.bytes(107, new Uint8Array([first ?? 0]));
      peer.bytes(108, new Uint8Array([...rest, 0x21]));
      await ana.shows("screen\nnew 你好!");
      await peer.acked(111);
      expect(peer.requests.filter(({ type }) => type === "pty:attach")).toEqual([]);
      // Software that only imitates a graphics card is not drawn with [W8].
      await ana.page.locator(".xterm-rows").getByText("screen").waitFor();
      expect(await ana.page.locator(".xterm-screen canvas").count()).toBe(0);
      expect(ana.faults).toEqual([]);
    });

    test("WT85 letters are measured together, each as wide as by itself", async () => {
      peer.attached({ snapshot: "one" });
      await ana.shows("one");
      const measured = await ana.page.evaluate(() => {
        const host = document.querySelector('.panel[data-active="true"] .host');
        const path = ["terminal", "_core", "_renderService", "_renderer", "value", "_widthCache"];
        const cache = path.reduce<object>((within, name) => Reflect.get(within, name), host ?? {});
        const flat: Float32Array = Reflect.get(cache, "_flat");
        const [element]: HTMLElement[] = Reflect.get(cache, "_measureElements");
        const alone = (letter: string) => {
          if (!element) return -1;
          element.textContent = letter.repeat(32);
          return element.offsetWidth / 32;
        };
        const letters = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
        return letters.map((letter, at) => ({
          letter,
          together: flat[32 + at],
          alone: alone(letter),
        }));
      });
      expect(measured.filter(({ together, alone }) => together !== alone)).toEqual([]);
      expect(ana.faults).toEqual([]);
    });

    test("R72 the page gives the room's number back, with its acks or alone", async () => {
      peer.attached({ snapshot: "" });
      peer.ask(2 ** 53 - 1);
      await peer.until("the number", () => peer.ackedTo(0) === 2 ** 53 - 1);
      const before = peer.acks.length;
      peer.ask(12_345);
      peer.bytes(0, "text");
      await peer.acked(4);
      await peer.until("the number", () => peer.ackedTo(0) === 12_345);
      // It is one message more than none at all, at most.
      expect(peer.acks.length - before).toBeLessThanOrEqual(2);
      expect(ana.faults).toEqual([]);
    });

    test("W72 a hole is asked for, and nothing behind it is shown before", async () => {
      peer.attached({ snapshot: "" });
      peer.bytes(0, "one ");
      peer.bytes(8, "three ");
      const again = await peer.request("pty:attach", ({ offset }) => offset !== undefined);
      expect(again).toEqual({ type: "pty:attach", id, epoch: 1, offset: 4 });
      peer.bytes(14, "four ");
      peer.attached({ offset: 4, next: 4, channel: 2 });
      // What still comes by the old name is of the past.
      peer.bytes(4, "old ", 1);
      for (const [at, text] of [
        [4, "two "],
        [8, "three "],
        [14, "four"],
      ] as const)
        peer.bytes(at, text, 2);
      await ana.shows("one two three four");
      await peer.acked(18, 2);
    });

    test("W73 a new start in the middle replaces the screen", async () => {
      peer.attached({ snapshot: "" });
      peer.bytes(0, "before\r\n");
      await ana.shows("before");
      peer.attached({ offset: 5000, next: 5000, snapshot: "after\r\n", cols: 100, rows: 30 });
      peer.bytes(5000, "and on");
      await ana.shows("after\nand on");
      expect((await ana.lines()).join("\n")).not.toContain("before");
      expect(await ana.size()).toEqual({ cols: 100, rows: 30 });
    });

    test("W7 a selection is painted, moves with its text, and goes", async () => {
      peer.attached({ snapshot: "word" });
      await ana.shows("word");
      const painted = ana.page.locator(".xterm-selection div");
      await ana.page.locator(".xterm-screen").dblclick({ position: { x: 12, y: 8 } });
      await expect.poll(() => painted.count(), poll).toBeGreaterThan(0);
      const top = await painted.first().evaluate((one) => one.getBoundingClientRect().top);
      peer.bytes(0, "\r\n".repeat(26));
      await expect.poll(() => painted.count(), poll).toBe(0);
      await ana.page.locator(".host").hover();
      // A turn is two or three lines.
      for (let turn = 0; turn < 3; turn += 1) await ana.page.mouse.wheel(0, -2000);
      await expect.poll(() => painted.count(), poll).toBeGreaterThan(0);
      expect(await painted.first().evaluate((one) => one.getBoundingClientRect().top)).toBe(top);
      await ana.page.locator(".xterm-screen").click({ position: { x: 200, y: 100 } });
      await expect.poll(() => painted.count(), poll).toBe(0);
    });

    test("W83 a terminal on the page answers nothing", async () => {
      peer.attached({ snapshot: "\u001B[c" });
      peer.driver(peer.number);
      await ana.page.getByText("You are typing").waitFor();
      const queries =
        "\u001B[c\u001B[>c\u001B[=c\u001B[5n\u001B[6n\u001B[?6n\u001B[?25$p\u001B[4$p\u001B[>q\u001B[14t\u001B[16t\u001B[18t\u001B]4;1;?\u0007\u001B]10;?\u0007\u001B]11;?\u001B\\\u001BP$qm\u001B\\\u001BP+q544e\u001B\\";
      peer.bytes(0, queries);
      await peer.acked(queries.length);
      await ana.page.locator(".host").click();
      await ana.type("x");
      await peer.request("pty:input");
      expect(peer.requests.filter(({ type }) => type === "pty:input")).toEqual([
        { type: "pty:input", id, data: "x" },
      ]);
    });

    test("W84 focus and the mouse are reported by whoever drives, and typing by all", async () => {
      peer.attached({ snapshot: "\u001B[?1000h\u001B[?1006h\u001B[?1004h", cols: 80, rows: 24 });
      peer.driver(99, "ben");
      await ana.page.getByText("ben is typing").waitFor();
      const screen = ana.page.locator(".xterm-screen");
      await screen.click({ position: { x: 50, y: 50 } });
      await ana.page.mouse.wheel(0, 200);
      await ana.press("Alt+0");
      await screen.click({ position: { x: 60, y: 50 } });
      await ana.type("a");
      await peer.request("pty:input");
      const inputs = () =>
        peer.requests.flatMap((one) => (one.type === "pty:input" ? [one.data] : []));
      expect(inputs()).toEqual(["a"]);
      peer.driver(peer.number);
      await ana.page.getByText("You are typing").waitFor();
      await screen.click({ position: { x: 50, y: 50 } });
      await ana.press("Alt+0");
      await expect.poll(inputs, poll).toContain("\u001B[O");
      expect(inputs().filter((data) => data.startsWith("\u001B[<0;")).length).toBe(2);
    });

    test("W82 another's size is made to fit, large or small", async () => {
      for (const [cols, rows] of [
        [40, 10],
        [300, 100],
      ] as const) {
        peer.attached({ snapshot: "x".repeat(cols), cols, rows });
        await ana.shows("x".repeat(cols));
        await ana.page.getByText("Scaled to fit").waitFor();
        const size = ana.page.locator(".size");
        await expect
          .poll(() => size.getAttribute("title"), poll)
          .toBe(`${cols} columns × ${rows} rows`);
        const fits = () =>
          ana.page.evaluate(() => {
            const screen = document.querySelector(".xterm-screen")?.getBoundingClientRect();
            const host = document.querySelector(".host")?.getBoundingClientRect();
            return (
              screen && host && screen.right <= host.right + 1 && screen.bottom <= host.bottom + 1
            );
          });
        await expect.poll(fits, poll).toBe(true);
      }
    });

    test("W3 a cut resumes at the byte, by a new channel", async () => {
      peer.attached({ snapshot: "" });
      peer.bytes(0, "one ");
      await ana.shows("one");
      peer.cut();
      peer = await room.peer(2);
      peer.terminals(TERMINAL);
      const asked = await peer.request("pty:attach");
      expect(asked).toMatchObject({ epoch: 1, offset: 4 });
      peer.attached({ offset: 4, next: 4, channel: 9 });
      // What is on the screen is told again: this bridge cannot know.
      await peer.acked(4, 9);
      peer.bytes(4, "two", 9);
      await ana.shows("one two");
    });

    test("W74 one message for all terminals", async () => {
      const other = { ...TERMINAL, id: "pty-bbbbbb", createdAt: 2 };
      peer.terminals(TERMINAL, other);
      peer.attached({ snapshot: "" });
      await ana.page.getByRole("tab").nth(1).click();
      await peer.request("pty:attach", (request) => request.id === other.id);
      peer.attached({ id: other.id, snapshot: "", channel: 2 });
      // Both terminals may be acked in one message.
      const isAcked = () => peer.acks.some(({ acks }) => acks.some(({ channel }) => channel === 2));
      await peer.until("first acks", isAcked);
      // The browser may hand over the two messages in two turns; then they are acked apart.
      const counts = async (at: number) => {
        const before = peer.acks.length;
        peer.bytes(at, "to both", 1);
        peer.bytes(at, "to both", 2);
        await peer.acked(at + 7, 2);
        await peer.acked(at + 7, 1);
        return peer.acks.slice(before).map(({ acks }) => acks.length);
      };
      let at = 0;
      await expect.poll(() => counts(7 * at++), poll).toEqual([2]);
    });

    test("W85 a terminal out of view is kept up to date, but not painted", async () => {
      const other = { ...TERMINAL, id: "pty-bbbbbb", createdAt: 2 };
      peer.terminals(TERMINAL, other);
      await ana.page.getByRole("tab").nth(0).click();
      await peer.request("pty:attach", (one) => one.id === id);
      peer.attached({ snapshot: "" });
      await peer.request("pty:view", ({ visible }) => visible);
      peer.requests.length = 0;
      await ana.page.getByRole("tab").nth(1).click();
      await peer.request("pty:view", ({ visible }) => !visible);
      await ana.page.evaluate(async () => {
        // A browser tells what is out of view with the next frame.
        for (let frame = 0; frame < 3; frame++)
          await new Promise((resolve) => {
            requestAnimationFrame(resolve);
          });
        const counted = globalThis as { painted?: number };
        counted.painted = 0;
        const rows = document.querySelector('.panel[data-active="false"] .xterm-rows');
        if (!rows) throw new Error("no rows");
        new MutationObserver((changes) => {
          counted.painted = (counted.painted ?? 0) + changes.length;
        }).observe(rows, { childList: true, subtree: true, characterData: true });
      });
      await pour(peer, MiB / 4);
      const painted = await ana.page.evaluate(
        () => (globalThis as { painted?: number }).painted ?? -1,
      );
      expect(painted).toBe(0);
      await ana.page.getByRole("tab").nth(0).click();
      await ana.page.locator(".xterm-rows").getByText("the end").waitFor();
    });

    test("W7 sizes and the end come in the order of the bytes", async () => {
      peer.attached({ offset: 10, next: 10, snapshot: "", cols: 60, rows: 20 });
      peer.bytes(10, `${"a".repeat(60)}b\r\n`);
      peer.event(73, { type: "pty:resized", id, cols: 30, rows: 10 });
      peer.bytes(73, `${"c".repeat(30)}d\r\n`);
      peer.event(106, { type: "pty:exit", id, exitCode: 3, signal: null });
      await ana.page.getByRole("tabpanel").getByText("exited with 3").waitFor();
      await peer.acked(106);
      // One line of 61 in 60 columns, kept whole; then one of 31 in 30.
      const text = (await ana.lines()).join("");
      expect(text).toBe(`${"a".repeat(60)}b${"c".repeat(30)}d`);
    });
  });

  describe("a page of its own", () => {
    afterEach(leave);

    test("W11 whatever programs, folders and people are called is text, and javascript: no link", async () => {
      const evil = `<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=1</script>`;
      room = await FakeRoom.open();
      ana = await Visitor.come(browser, room.link());
      peer = await room.peer(1);
      const dialogs: string[] = [];
      ana.page.on("dialog", (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      peer.terminals(
        { ...TERMINAL, cwd: `/${evil}`, startedBy: evil },
        { ...TERMINAL, id: "pty-bbbbbb", command: [evil, evil], cwd: `/${evil}` },
      );
      await peer.request("pty:attach");
      const link = "\u001B]8;;javascript:globalThis.pwned=1\u0007click here\u001B]8;;\u0007";
      peer.attached({ snapshot: `${link}\r\n` });
      peer.driver(7, evil);
      peer.say({ type: "pty:asked", id, peer: 7, label: evil });
      peer.say({ type: "pty:error", error: evil, code: "internal" });
      const title = `\u001B]2;</title>${evil}\u0007\u001B]1337;File=inline=1:PHN2Zz4=\u0007`;
      peer.bytes(0, `${title}javascript:globalThis.pwned=1 shown\r\n`);
      await ana.shows("click here\njavascript:globalThis.pwned=1 shown");
      await ana.page.getByRole("tab", { name: "onerror" }).first().waitFor();
      for (const y of [8, 24]) {
        await ana.page.locator(".xterm-screen").hover({ position: { x: 20, y } });
        await ana.page.locator(".xterm-screen").click({ position: { x: 20, y } });
      }
      expect(await ana.page.evaluate(() => "pwned" in globalThis)).toBe(false);
      expect(await ana.page.locator("img, body script").count()).toBe(0);
      expect(ana.page.context().pages()).toHaveLength(1);
      expect(dialogs).toEqual([]);
      expect(ana.faults).toEqual([]);
    });

    test("W81 says what it has room for when that changes, and when no one can see it", async () => {
      const other = { ...TERMINAL, id: "pty-bbbbbb", createdAt: 2 };
      await arrive();
      peer.terminals(TERMINAL, other);
      peer.attached({ snapshot: "" });
      const first = await peer.request("pty:view");
      expect(first.visible).toBe(true);
      await ana.page.setViewportSize({ width: 700, height: 500 });
      const smaller = await peer.request("pty:view", ({ cols }) => cols < first.cols);
      expect(smaller.rows).toBeLessThan(first.rows);
      await ana.hide(true);
      await peer.request("pty:view", ({ visible }) => !visible);
      await ana.page.setViewportSize({ width: 1100, height: 700 });
      await ana.page.waitForTimeout(400);
      const views = () => peer.requests.filter(({ type }) => type === "pty:view");
      expect(views().length).toBe(3);
      await ana.hide(false);
      await expect.poll(() => views().at(-1), poll).toEqual(first);
      // Another tab of the page hides it too.
      await ana.page.getByRole("tab").nth(1).click();
      await expect.poll(() => views().at(-1), poll).toMatchObject({ id, visible: false });
      // The size is the bridge's to say.
      expect(await sizes()).toEqual([{ cols: 80, rows: 24 }]);
      peer.event(0, { type: "pty:resized", id, cols: first.cols, rows: first.rows });
      await expect.poll(sizes, poll).toEqual([{ cols: first.cols, rows: first.rows }]);
      expect(peer.requests.some(({ type }) => type === "pty:resize")).toBe(false);

      async function sizes(): Promise<{ cols: number; rows: number }[]> {
        return await ana.page.evaluate(() =>
          [...document.querySelectorAll<HTMLElement & { terminal?: Sized }>(".host")]
            .flatMap(({ terminal }) => terminal ?? [])
            .slice(0, 1)
            .map(({ cols, rows }) => ({ cols, rows })),
        );
      }
    });

    test("W87 a graphics card draws; when it is lost, elements do", async () => {
      room = await FakeRoom.open();
      ana = await Visitor.come(browser, "about:blank");
      // The browser of the tests has an imitation only: pass it off as a real one.
      await ana.page.addInitScript(() => {
        const { prototype } = WebGL2RenderingContext;
        const real: (name: number) => unknown = Reflect.get(prototype, "getParameter");
        prototype.getParameter = function (name: number) {
          const value = Reflect.apply(real, this, [name]);
          return typeof value === "string" ? "A card" : value;
        };
      });
      await ana.page.goto(room.link());
      peer = await room.peer(1);
      peer.terminals(TERMINAL);
      await peer.request("pty:attach");
      peer.attached({ snapshot: "by the card" });
      const canvas = ana.page.locator(".xterm-screen canvas").first();
      await canvas.waitFor({ state: "attached" });
      await ana.page.evaluate(() => {
        for (const one of document.querySelectorAll("canvas"))
          one.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext();
      });
      await ana.page.locator(".xterm-rows").getByText("by the card").waitFor();
      peer.bytes(0, " and on");
      await ana.page.locator(".xterm-rows").getByText("by the card and on").waitFor();
    });
  });
});

interface Sized {
  cols: number;
  rows: number;
}

/** Sends that much, as far ahead as a driver's window allows, and waits until it is rendered. */
async function pour(peer: FakePeer, total: number): Promise<void> {
  const line =
    "\u001B[32mthe quick brown fox\u001B[0m jumps over the lazy dog, again and again\r\n";
  const body = toBytes(line.repeat(400));
  let sent = 0;
  while (sent < total) {
    await peer.until("room in the window", () => sent - peer.ackedTo() < MiB / 2);
    peer.bytes(sent, body);
    sent += body.length;
  }
  peer.bytes(sent, "the end");
  await peer.acked(sent + 7);
}
