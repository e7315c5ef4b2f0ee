// Terminals under real fingers, in a browser that takes itself for a phone's, against a room that says
// what it is told. One phone for all of them, and another whose keyboard is Android's: a visit costs
// more than most of what is done in it.

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Terminal } from "../../protocol/terminal.ts";
import { Visitor, startBrowser } from "../support/browser.ts";
import type { FakePeer } from "../support/fake-room.ts";
import { FakeRoom, TERMINAL } from "../support/fake-room.ts";
import type { Spot } from "../support/fingers.ts";
import { Fingers, PHONE } from "../support/fingers.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const poll = { timeout: PATIENCE_MS };
const browser = await startBrowser();
const ME = 1;
const BEN = 7;
const ANDROID = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/147.0 Mobile";

describe.skipIf(!browser)("a terminal under fingers", () => {
  let room: FakeRoom;
  let ana: Visitor;
  let peer: FakePeer;
  let fingers: Fingers;
  /** How many bytes the page has been told. */
  let sentBytes: number;

  /** With a terminal that this page types into, in the size that fits it. */
  async function arrive(userAgent?: string): Promise<void> {
    room = await FakeRoom.open();
    ana = await Visitor.come(browser, room.link(), {
      ...PHONE,
      // Swipes go on.
      reducedMotion: "no-preference",
      ...(userAgent !== undefined && { userAgent }),
    });
    peer = await room.peer(1);
    sentBytes = 0;
    peer.terminals(TERMINAL);
    await peer.request("pty:attach");
    peer.attached({ snapshot: "" });
    await sized();
    peer.driver(ME);
    await ana.page.locator(".host.touched").waitFor();
    fingers = await Fingers.of(ana);
  }
  async function leave(): Promise<void> {
    await ana.leave();
    room.close();
  }
  afterEach(() => expect(ana.faults.splice(0)).toEqual([]));

  /** What the terminal's program prints next. */
  function say(text: string): void {
    peer.bytes(sentBytes, text);
    sentBytes += Buffer.byteLength(text);
  }

  /** A terminal with this alone, as if nothing had been before. */
  async function show(text: string): Promise<void> {
    say(`\u001Bc${text}`);
    await peer.acked(sentBytes);
    peer.requests.splice(0);
  }

  /** As the bridge does it for whoever types. */
  async function sized(isNew: (cols: number, rows: number) => boolean = () => true): Promise<void> {
    await resize(await peer.request("pty:view", (one) => isNew(one.cols, one.rows)));
  }

  async function resize({ cols, rows }: { cols: number; rows: number }): Promise<void> {
    peer.event(sentBytes, { type: "pty:resized", id: TERMINAL.id, cols, rows });
    await vi.waitFor(async () => expect(await ana.size()).toEqual({ cols, rows }), poll);
  }

  const host = () => ana.page.locator(".host");
  const line = () => host().evaluate((one: Host) => one.terminal?.buffer.active.viewportY ?? -1);
  const selected = () => host().evaluate((one: Host) => one.terminal?.getSelection());
  const font = () => host().evaluate((one: Host) => one.terminal?.options.fontSize ?? 0);
  const button = (name: string) =>
    ana.page.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name });
  const inputs = (): string[] =>
    peer.requests.flatMap((one) => (one.type === "pty:input" ? [one.data] : []));

  /** The middle of a cell that is in view. */
  async function findSpot(column: number, row: number): Promise<Spot> {
    const box = await ana.page.locator(".xterm-screen").boundingBox();
    if (!box) throw new Error("no screen");
    const { cols, rows } = await ana.size();
    return {
      x: box.x + ((column + 0.5) * box.width) / cols,
      y: box.y + ((row + 0.5) * box.height) / rows,
    };
  }

  describe("of a phone", () => {
    beforeAll(() => arrive());
    afterAll(leave);

    test("TO1 W101 TO12 TO13 a swipe scrolls the scrollback and goes on, in programs it is their wheel or arrow keys", async () => {
      const lines = Array.from({ length: 400 }, (_, index) => `line ${index}`).join("\r\n");
      await show(lines);
      await ana.shows("line 399");
      const bottom = await line();
      const [upper, lower] = [await findSpot(5, 5), await findSpot(5, 25)];
      await fingers.swipe(upper, lower, { rest: true });
      // Twenty lines, whole ones.
      await expect.poll(line, poll).toBeLessThanOrEqual(bottom - 19);
      const rested = await line();
      expect(bottom - rested).toBeLessThanOrEqual(21);
      await fingers.swipe(upper, lower);
      await expect.poll(line, poll).toBeLessThan(rested - 25);
      expect(inputs()).toEqual([]);
      expect(await ana.page.evaluate(() => document.activeElement?.tagName)).toBe("BODY");
      // The first may stop it; a tap takes the focus, and so brings up the keyboard.
      await fingers.tap(upper);
      await fingers.tap(lower);
      await expect
        .poll(() => ana.page.evaluate(() => document.activeElement?.tagName), poll)
        .toBe("TEXTAREA");

      const alternate = "\u001B[?1049h\u001B[2Jfull screen";
      say(alternate);
      await ana.shows("full screen");
      await fingers.swipe(await findSpot(5, 10), await findSpot(5, 13), { rest: true });
      await peer.request("pty:input", ({ data }) => data === "\u001B[A");
      expect(new Set(inputs())).toEqual(new Set(["\u001B[A"]));
      expect(inputs().length).toBeLessThanOrEqual(3);
      peer.requests.splice(0);
      say("\u001B[?1000h\u001B[?1006h mouse");
      await ana.shows("mouse");
      await fingers.swipe(await findSpot(5, 13), await findSpot(5, 10), { rest: true });
      await peer.request("pty:input", ({ data }) => data.startsWith("\u001B[<65;6;"));
      // A tap is a click of the program's.
      peer.requests.splice(0);
      await fingers.tap(await findSpot(8, 3));
      await peer.request("pty:input", ({ data }) => data === "\u001B[<0;9;4M");
      await peer.request("pty:input", ({ data }) => data === "\u001B[<0;9;4m");
    });

    test("TO2 TO24 TO14 TO15 TO16 a long press selects a word, drags and handles extend it, and it can be copied and pasted", async () => {
      await show("see ./some/path here\r\nanother line\r\n$ ");
      await ana.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await ana.shows("another line");
      await fingers.down(await findSpot(6, 0));
      await expect.poll(selected, poll).toBe("./some/path");
      expect(await button("Copy").count()).toBe(0);
      await fingers.move(await findSpot(6, 1));
      await expect.poll(selected, poll).toBe("./some/path here\nanother");
      await fingers.up();
      await button("Copy").waitFor();
      // The end of it by its handle, back over the word.
      const handle = await ana.page.locator(".touch-handle.to").boundingBox();
      if (!handle) throw new Error("no handle");
      const grip = { x: handle.x + handle.width / 2, y: handle.y + 12 };
      const [before, after] = [await findSpot(6, 1), await findSpot(2, 1)];
      await fingers.swipe(grip, { x: grip.x + after.x - before.x, y: grip.y }, { rest: true });
      await expect.poll(selected, poll).toBe("./some/path here\nano");
      await button("Copy").tap();
      await ana.page.getByText("Copied.").waitFor();
      // Over the tabs, and one at a time.
      for (const error of ["Not this.", "Not that."])
        peer.say({ type: "room:error", error, code: "not_found" });
      await ana.page.getByText("Not that.").waitFor();
      expect(await ana.page.locator(".messages .toast:visible").count()).toBe(1);
      const message = await ana.page.locator(".messages .toast:visible").boundingBox();
      const screen = await ana.page.locator(".screen").boundingBox();
      if (!message || !screen) throw new Error("no message");
      expect(message.y + message.height).toBeLessThanOrEqual(screen.y);
      expect(await ana.page.evaluate(() => navigator.clipboard.readText())).toBe(
        "./some/path here\nano",
      );
      await button("Copy").waitFor({ state: "detached" });
      expect(inputs()).toEqual([]);

      // Twice on a word; a tap beside it lets it go.
      await fingers.doubleTap(await findSpot(2, 1));
      await expect.poll(selected, poll).toBe("another");
      await fingers.tap(await findSpot(2, 8));
      await expect.poll(selected, poll).toBe("");
      await button("Paste").waitFor({ state: "detached" });

      // On nothing there is nothing to copy.
      await ana.page.evaluate(() => navigator.clipboard.writeText("pasted"));
      await fingers.press(await findSpot(20, 12));
      await button("Paste").waitFor();
      expect(await button("Copy").count()).toBe(0);
      await button("Paste").tap();
      await peer.request("pty:input", ({ data }) => data === "pasted");
      await button("Paste").waitFor({ state: "detached" });
    });

    test("TO17 where the page cannot read the clipboard, one pastes by hand", async () => {
      await show("$ ");
      await ana.page.context().clearPermissions();
      await ana.page.getByRole("toolbar").getByRole("button", { name: "Paste" }).tap();
      const field = ana.page.getByRole("textbox", { name: "Text to paste" });
      await expect
        .poll(() => field.evaluate((one) => one === document.activeElement), poll)
        .toBe(true);
      await field.evaluate((one) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", "by hand");
        one.dispatchEvent(
          new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
        );
      });
      await peer.request("pty:input", ({ data }) => data === "by hand");
      await field.waitFor({ state: "detached" });
    });

    test("TO3 two fingers set the size of one's own letters", async () => {
      await show("mine");
      await ana.shows("mine");
      const was = await font();
      const { cols } = await ana.size();
      const kept = () => ana.page.evaluate(() => Number(localStorage.getItem("pairpty:font")));
      await fingers.pinch(await findSpot(10, 10), 100, 160);
      await expect.poll(kept, poll).toBe(Math.floor(was * 1.6));
      // The bridge is told what fits now.
      await sized((now) => now < (cols * was) / (was * 1.55));
      expect(await font()).toBe(Math.floor(was * 1.6));
      expect(inputs()).toEqual([]);
      peer.requests.splice(0);
      await ana.press("Alt+Shift+0");
      await sized((now) => now === cols);
    });

    test("TO18 WT56 TO19 another's wide terminal is read by panning, and two fingers enlarge the picture alone", async () => {
      const wide = { cols: 200, rows: 50 };
      const own = await ana.size();
      await show("");
      peer.driver(BEN, "ben");
      await resize(wide);
      say("x".repeat(195) + "\r\nwide");
      await ana.shows("wide");
      await expect.poll(font, poll).toBe(8);
      await ana.page.locator(".scroll-hint").waitFor();
      // Within its own box: the page is as wide as the phone.
      expect(await ana.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      const left = () => host().evaluate((one) => one.scrollLeft);
      await ana.page.locator(".host[data-foreign=true]").waitFor();
      await fingers.swipe({ x: 300, y: 400 }, { x: 100, y: 400 }, { rest: true });
      // Whole pixels at each step.
      await expect.poll(left, poll).toBeGreaterThan(190);
      const panned = await left();
      const before = peer.requests.length;
      await fingers.pinch({ x: 195, y: 400 }, 100, 200);
      await expect.poll(font, poll).toBeGreaterThan(14);
      // What was between the fingers is there still.
      const grown = (await font()) / 8;
      await expect
        .poll(async () => Math.abs((await left()) - ((panned + 187) * grown - 187)), poll)
        .toBeLessThan(60);
      expect(await ana.size()).toEqual(wide);
      expect(peer.requests.slice(before).filter(({ type }) => type === "pty:view")).toEqual([]);
      peer.driver(ME);
      await resize(own);
    });

    test("WT77 no frame stands around one's own terminal after a pinch, also before the bridge has followed", async () => {
      await show("mine");
      const frames: unknown[] = [];
      await ana.page.exposeFunction("noteFrame", (foreign: unknown) => frames.push(foreign));
      await host().evaluate((one) =>
        new MutationObserver(() =>
          Reflect.get(globalThis, "noteFrame")(one.dataset["foreign"]),
        ).observe(one, { attributeFilter: ["data-foreign"] }),
      );
      const { cols } = await ana.size();
      await fingers.pinch(await findSpot(10, 10), 100, 150);
      await peer.request("pty:view", (one) => one.cols < cols);
      await ana.page.getByText("You are typing").waitFor();
      expect([frames, await host().getAttribute("data-foreign")]).toEqual([[], "false"]);
      await sized((now) => now < cols);
      peer.requests.splice(0);
      await ana.press("Alt+Shift+0");
      await sized((now) => now === cols);
      expect(frames).toEqual([]);
    });

    test("WT30 WT76 a pinch where no one types takes one's own size along; where it cannot, it enlarges the picture", async () => {
      await show("mine");
      const own = await ana.size();
      const was = await font();
      peer.driver(null);
      await ana.page.getByText("Idle").waitFor();
      await fingers.pinch(await findSpot(10, 10), 100, 150);
      await peer.request("pty:drive");
      const drive = peer.requests.findIndex(({ type }) => type === "pty:drive");
      const view = peer.requests.findIndex((one) => one.type === "pty:view" && one.cols < own.cols);
      expect(view).toBeGreaterThanOrEqual(0);
      expect(view).toBeLessThan(drive);
      peer.driver(ME);
      await ana.press("Alt+Shift+0");
      await sized((now) => now === own.cols);
      // Ben's window has the very size of ours; then somebody pinned it.
      for (const size of [undefined, { of: "pinned" as const }]) {
        const driver = size ? ME : BEN;
        peer.say({
          type: "pty:driver",
          id: TERMINAL.id,
          driver,
          viewers: 2,
          ...(size && { size }),
        });
        await ana.page
          .getByText(size ? "pinned" : "someone is typing")
          .first()
          .waitFor();
        peer.requests.splice(0);
        await fingers.pinch(await findSpot(10, 10), 100, 200);
        await expect.poll(font, poll).toBeGreaterThan(was * 1.5);
        expect(await ana.size()).toEqual(own);
        expect(peer.requests.map(({ type }) => type)).not.toContain("pty:drive");
        await ana.press("Alt+Shift+0");
        await expect.poll(font, poll).toBe(was);
      }
      peer.driver(ME);
      await ana.page.getByText("You are typing").waitFor();
      await expect.poll(() => host().getAttribute("data-foreign"), poll).toBe("false");
    });

    test("TO6 TO7 a held key repeats; the card that asks for a name covers neither tabs nor lines", async () => {
      await show("first line");
      await ana.shows("first line");
      peer.say({ type: "room:you", you: "a", label: "edit link", role: "edit" });
      const card = ana.page.locator(".name-card");
      await card.waitFor();
      await card.getByPlaceholder("What’s your name?").waitFor();
      const question = card.getByText("What’s your name?");
      const height = async () => (await question.boundingBox())?.height ?? 0;
      expect(await height()).toBe(1);
      // A suggested name hides the placeholder: then it has a line of its own.
      peer.say({ type: "room:you", you: "a", label: "Ben", role: "edit" });
      await expect.poll(height, poll).toBeGreaterThan(10);
      peer.say({ type: "room:you", you: "a", label: "edit link", role: "edit" });
      await expect.poll(height, poll).toBe(1);
      const boxes = async (): Promise<{ top: number; bottom: number }[]> =>
        await Promise.all(
          [".bar", ".name-card", ".screen"].map((one) =>
            ana.page.locator(one).evaluate((element) => {
              const { top, bottom } = element.getBoundingClientRect();
              return { top, bottom };
            }),
          ),
        );
      const [bar, asking, screen] = await boxes();
      expect(asking?.top).toBeGreaterThanOrEqual(bar?.bottom ?? Infinity);
      expect(screen?.top).toBeGreaterThanOrEqual(asking?.bottom ?? Infinity);
      expect((asking?.bottom ?? 0) - (asking?.top ?? 0)).toBeLessThan(60);
      await card.getByRole("button", { name: "Skip" }).tap();
      await card.waitFor({ state: "detached" });
      // A message leaves the bar's buttons free, and a tap dismisses it.
      peer.say({
        type: "room:error",
        code: "forbidden",
        error: "Something is `not` so, ".repeat(4),
      });
      const message = ana.page.getByRole("log").getByText("Something is not so");
      await message.waitFor();
      await ana.page.getByRole("button", { name: "Keyboard shortcuts" }).tap();
      await ana.page.getByRole("dialog").waitFor();
      await ana.press("Escape");
      await ana.page.getByRole("dialog").waitFor({ state: "detached" });
      await message.tap({ force: true });
      await message.waitFor({ state: "detached" });
      // A narrow bar that finds says all of its count.
      await ana.page.getByRole("button", { name: "More" }).tap();
      await ana.page.getByRole("menuitem", { name: /^Find/ }).tap();
      await ana.page.getByLabel("Find", { exact: true }).fill("line");
      const count = ana.page.locator(".find-count");
      await expect.poll(() => count.innerText(), poll).toBe("1 of 1");
      expect(await count.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
      await ana.page.getByRole("search").getByRole("button").last().tap();
      const up = await ana.page.getByRole("button", { name: "Up", exact: true }).boundingBox();
      if (!up) throw new Error("no key");
      await fingers.down({ x: up.x + 20, y: up.y + 20 });
      await expect.poll(() => inputs().length, poll).toBeGreaterThan(3);
      await fingers.up();
      expect(new Set(inputs())).toEqual(new Set(["\u001B[A"]));
    });

    test("I101 on a phone the line says it all: the program, whose, sudo, and both ways back", async () => {
      await show("$ ");
      const startedBy = "claude-code";
      const agents: Terminal = { ...TERMINAL, owner: "agent", visible: false, startedBy };
      const terminal = { ...agents, steppedIn: { label: "ana", peer: ME } };
      peer.say({ type: "terminal", event: "changed", terminal });
      const reader = { program: "/usr/bin/sudo", command: ["sudo", "make"], startedBy };
      peer.say({ type: "pty:foreground", id: TERMINAL.id, ...reader });
      for (const words of ["/usr/bin/sudo", "claude-code", "sudo stays open"]) {
        const strip = ana.page.locator(".strip").getByText(words).first();
        await strip.waitFor();
        const box = await strip.boundingBox();
        expect(box !== null && box.x >= 0 && box.x + box.width <= 390, words).toBe(true);
      }
      for (const name of ["Hand back", "Hand back, hide"]) {
        await ana.page.getByRole("button", { name }).first().waitFor();
      }
      peer.say({ type: "terminal", event: "changed", terminal: TERMINAL });
    });

    test("WT11 W86 WT58 WT59 TO23 a phone has the keys that its keyboard lacks, and eight rows on its side", async () => {
      await show("$ ");
      await ana.shows("$");
      // Anywhere, also beside the screen, which is smaller here.
      await resize({ cols: 80, rows: 24 });
      await ana.page.locator(".host").tap();
      const keys = ana.page.getByRole("toolbar", { name: "Keys" });
      const key = (name: string) => keys.getByRole("button", { name, exact: true });
      const isPressed = (name: string) => key(name).getAttribute("aria-pressed");
      for (const name of ["Esc", "Tab", "Up", "|", "~", "-", "/"]) await key(name).tap();
      // Ctrl is held for one key.
      await key("Ctrl").tap();
      await ana.type("uu");
      expect(await isPressed("Ctrl")).toBe("false");
      // Alt for all that come, where it is tapped twice.
      await key("Alt").tap();
      await key("Alt").tap();
      await ana.type("bc");
      await key("Alt").tap();
      await ana.type("d");
      await key("Page up").tap();
      const sent = "\u001B\t\u001B[A|~-/\u0015u\u001Bb\u001Bcd\u001B[5~";
      await peer.until("all of the keys", () => inputs().join("") === sent);
      // A program that wants them in its own form.
      say("\u001B[?1h program");
      await ana.shows("program");
      await key("Left").tap();
      await peer.request("pty:input", ({ data }) => data === "\u001BOD");

      const buttons = ana.page.locator(".key-bar button, .strip-end > button");
      const sides = await buttons.evaluateAll((all) =>
        all
          .map((one) => one.getBoundingClientRect())
          .map(({ width, height }) => Math.min(width, height)),
      );
      expect(Math.min(...sides)).toBeGreaterThanOrEqual(40);
      expect(await ana.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      peer.driver(BEN, "a person with a long name", 12);
      await ana.page.getByRole("button", { name: "Ask" }).waitFor();
      const box = await ana.page.getByRole("button", { name: "Take over" }).boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
      peer.driver(ME);

      // On its side, with its keyboard, and in a browser with a bar of its own.
      const isHigh = (rows: number) => rows >= 8 && rows < 10;
      for (const [width, height] of [
        [844, 190],
        [667, 140],
      ] as const) {
        peer.requests.splice(0);
        await ana.page.setViewportSize({ width, height });
        await sized((cols, rows) => cols > 60 && isHigh(rows));
        expect(await ana.page.locator(".bar").isVisible()).toBe(false);
      }
    });
  });

  describe("with Android’s keyboard", () => {
    beforeAll(() => arrive(ANDROID));
    afterAll(leave);

    test("TO4 TO20 TO21 TO22 keyboards that compose, correct and delete type each letter once, and Ctrl is held for them", async () => {
      await show("$ ");
      await ana.shows("$");
      await fingers.tap(await findSpot(5, 5));
      const field = ana.page.locator(".xterm-helper-textarea");
      await expect
        .poll(() => field.evaluate((one) => one === document.activeElement), poll)
        .toBe(true);
      for (const name of ["autocapitalize", "autocorrect", "autocomplete"])
        expect(await field.getAttribute(name)).toBe("off");
      const protocol = await ana.page.context().newCDPSession(ana.page);
      const compose = async (text: string): Promise<void> => {
        await protocol.send("Input.dispatchKeyEvent", {
          type: "rawKeyDown",
          windowsVirtualKeyCode: 229,
          key: "Unidentified",
        });
        const selectionEnd = text.length;
        await protocol.send("Input.imeSetComposition", {
          text,
          selectionStart: selectionEnd,
          selectionEnd,
        });
        await protocol.send("Input.dispatchKeyEvent", {
          type: "keyUp",
          windowsVirtualKeyCode: 229,
        });
      };
      const commit = (text: string) => protocol.send("Input.insertText", { text });
      const typed = async (whole: string): Promise<void> => {
        await expect.poll(() => findLine(inputs()), poll).toBe(whole);
      };
      // Letter by letter, as the word grows; the keyboard has its own mind in the end.
      for (const text of ["t", "te", "teh"]) await compose(text);
      await typed("teh");
      expect(inputs()).toEqual(["t", "e", "h"]);
      await commit("the");
      await typed("the");
      await commit(" ");
      await ana.page.evaluate(() => document.execCommand("delete"));
      await typed("the");
      // A swiped word, and one put in place of it.
      await commit(" swiped");
      await field.evaluate((one: HTMLTextAreaElement) => {
        one.setSelectionRange(4, one.value.length);
        document.execCommand("insertText", false, "wiped");
      });
      await typed("the wiped");
      // What becomes other letters is shown at the cursor, and sent as a whole.
      for (const text of ["に", "にほ", "にほん"]) await compose(text);
      await ana.page.locator(".composition-view.active", { hasText: "にほん" }).waitFor();
      await typed("the wiped");
      await commit("日本");
      await typed("the wiped日本");
      // Real keys beside it, and nothing of the field afterwards.
      await ana.press("x", "Space", "Enter");
      await typed("the wiped日本x \r");
      peer.requests.splice(0);
      await ana.page.getByRole("button", { name: "Ctrl", exact: true }).tap();
      await compose("c");
      // The keyboard begins anew: nothing is there to be corrected.
      await expect.poll(() => field.inputValue(), poll).toBe("");
      for (const text of ["l", "ls"]) await compose(text);
      await expect.poll(() => inputs().join(""), poll).toBe("\u0003ls");
    });
  });
});

/** What an editor of lines makes of it. */
function findLine(inputs: readonly string[]): string {
  let line: string[] = [];
  for (const sign of inputs.join(""))
    line = sign === "\u007F" ? line.slice(0, -1) : [...line, sign];
  return line.join("");
}

interface Host extends HTMLElement {
  terminal?: {
    options: { fontSize: number };
    getSelection(): string;
    buffer: { active: { viewportY: number } };
  };
}
