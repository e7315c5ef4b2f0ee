// Who drives, as the page shows and asks it, against a room that says what it is told.

import type { BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Role } from "../../protocol/grant.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import { Visitor, startBrowser } from "../support/browser.ts";
import type { FakePeer } from "../support/fake-room.ts";
import { FakeRoom, TERMINAL } from "../support/fake-room.ts";

const { id } = TERMINAL;
const ME = 1;
const BEN = 7;
const browser = await startBrowser();

describe.skipIf(!browser)("who drives", () => {
  let room: FakeRoom;
  let ana: Visitor;

  beforeEach(async () => {
    room = await FakeRoom.open();
  });
  afterEach(async () => {
    await ana.leave();
    room.close();
  });
  afterAll(async () => {});

  async function arrive(options: BrowserContextOptions = {}, role: Role = "edit") {
    ana = await Visitor.come(browser, room.link(), options);
    const peer = await room.peer(ME);
    peer.welcome(role, [TERMINAL]);
    await peer.request("pty:attach");
    peer.attached({ snapshot: "$ " });
    await peer.request("pty:view");
    return peer;
  }

  const button = (name: string) => ana.page.getByRole("button", { name });
  const inputs = (peer: FakePeer) => peer.requests.filter(({ type }) => type === "pty:input");

  test("W8 who drives and how many look on is shown", async () => {
    const peer = await arrive();
    peer.driver(null, undefined, 1);
    await ana.page.getByText("Nobody is typing").waitFor();
    expect(await ana.page.getByText(/watching/).count()).toBe(0);
    peer.driver(BEN, "ben", 3);
    await ana.page.getByText("ben is typing").waitFor();
    await ana.page.getByText("2 watching").waitFor();
    // As narrow as a pane can be, the line stays within it, and its menu in sight.
    const more = button("More");
    await ana.page.locator(".panel").evaluate((panel) => {
      panel.style.right = "auto";
      panel.style.width = "180px";
    });
    await expect
      .poll(async () => {
        const box = await more.boundingBox();
        return box && box.x + box.width;
      })
      .toBeLessThanOrEqual(180);
    await ana.page.locator(".panel").evaluate((panel) => panel.removeAttribute("style"));
    peer.driver(ME, "ana", 2);
    await ana.page.getByText("You are typing").waitFor();
    expect(await button("Take over").count()).toBe(0);
    expect(await button("Ask to type").count()).toBe(0);
    expect(ana.faults).toEqual([]);
  });

  test("W8 taking over and asking, by button and by key", async () => {
    const peer = await arrive();
    peer.driver(BEN, "ben");
    await button("Ask to type").click();
    await peer.request("pty:ask");
    await button("Asked").click({ force: true });
    await button("Take over").click();
    await peer.request("pty:drive");
    expect(peer.requests.filter(({ type }) => type === "pty:ask").length).toBe(1);
    // The cursor is in the terminal again.
    await ana.type("x");
    await peer.request("pty:input");
    peer.requests.splice(0);
    await ana.press("Alt+o");
    await peer.request("pty:drive");
    expect(inputs(peer)).toEqual([]);
    // Back by a word, in a shell: in a terminal no command of the page has that key.
    await ana.press("Alt+b");
    expect(await peer.request("pty:input")).toMatchObject({ data: "\u001Bb" });
    await button("More").click();
    await ana.page.getByRole("menuitem", { name: /^Keep its size/ }).click();
    expect(await peer.request("pty:pin")).toMatchObject({ id, on: true });
  });

  test("I60 I67 a person steps in to an agent's terminal, sees which program reads, and hands back, by button and by key", async () => {
    const peer = await arrive();
    const agents: Terminal = { ...TERMINAL, owner: "agent", visible: false, startedBy: "robot" };
    const tell = (terminal: Terminal) => peer.say({ type: "terminal", event: "changed", terminal });
    tell(agents);
    await ana.page.getByText("An agent is working here").waitFor();
    await ana.type("x");
    await ana.page.getByText("Step in (Alt+I) to type.").waitFor();
    await button("Step in").click();
    await peer.request("pty:step-in");
    expect(inputs(peer)).toEqual([]);
    tell({ ...agents, steppedIn: { label: "ana", peer: ME } });
    const reader = { program: "/usr/bin/ssh", command: ["ssh", "host"], startedBy: "robot" };
    peer.say({ type: "pty:foreground", id, ...reader });
    await ana.page.getByText("your keys go to /usr/bin/ssh, started by robot").waitFor();
    await ana.page.getByText("sudo stays open afterwards").waitFor();
    // The cursor is in the terminal again.
    await ana.type("y");
    expect(await peer.request("pty:input")).toMatchObject({ data: "y" });
    await button("Hand back, hide what was typed").click();
    expect(await peer.request("pty:hand-back")).toMatchObject({ id, hide: true });
    peer.requests.splice(0);
    await ana.press("Alt+i");
    expect(await peer.request("pty:hand-back")).not.toHaveProperty("hide");
    tell({ ...agents, steppedIn: { label: "ben", peer: BEN } });
    await ana.page.getByText("ben has stepped in").waitFor();
    // What its commands print is nothing to step in to.
    tell({ ...agents, feed: true });
    await ana.page.getByText("What an agent’s commands print").waitFor();
    expect(await button("Step in").count()).toBe(0);
    await ana.type("x");
    await ana.page.getByText("You cannot type here: this shows what").waitFor();
    expect(ana.faults).toEqual([]);
  });

  test("I67 on a phone the line says it all: the program, whose, sudo, and both ways back", async () => {
    const peer = await arrive({ viewport: { width: 390, height: 760 }, hasTouch: true });
    const startedBy = "claude-code";
    const agents: Terminal = { ...TERMINAL, owner: "agent", visible: false, startedBy };
    const terminal = { ...agents, steppedIn: { label: "ana", peer: ME } };
    peer.say({ type: "terminal", event: "changed", terminal });
    const reader = { program: "/usr/bin/sudo", command: ["sudo", "make"], startedBy };
    peer.say({ type: "pty:foreground", id, ...reader });
    for (const words of ["/usr/bin/sudo", "claude-code", "sudo stays open"]) {
      const told = ana.page.locator(".strip").getByText(words).first();
      await told.waitFor();
      const box = await told.boundingBox();
      expect(box !== null && box.x >= 0 && box.x + box.width <= 390, words).toBe(true);
    }
    for (const name of ["Hand back", "Hand back, hide"]) {
      await button(name).first().waitFor();
    }
  });

  test("I67 at a desk a long path is cut at its beginning, and nothing else of the line", async () => {
    const peer = await arrive({ viewport: { width: 1280, height: 800 } });
    const startedBy = "helper-bot";
    const agents: Terminal = { ...TERMINAL, owner: "agent", visible: false, startedBy };
    const terminal = { ...agents, steppedIn: { label: "ana", peer: ME } };
    peer.say({ type: "terminal", event: "changed", terminal });
    const program = `/root/${"versions/".repeat(20)}bin/python3.11`;
    peer.say({ type: "pty:foreground", id, program, command: ["python3"], startedBy });
    const line = ana.page.locator(".strip .who");
    await line.getByText("started by helper-bot").waitFor();
    for (const width of [1280, 700]) {
      await ana.page.setViewportSize({ width, height: 800 });
      const cut = () =>
        line
          .locator("span")
          .evaluateAll((all) =>
            all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
          );
      await expect.poll(cut).toEqual([]);
      const name = await line.locator("bdi").evaluate((one) => {
        const place = one.parentElement?.getBoundingClientRect();
        return Math.round(one.getBoundingClientRect().right - (place?.right ?? 0));
      });
      expect(name).toBe(0);
    }
  });

  test("W8 the driver is asked, and hands over or not", async () => {
    const peer = await arrive();
    const ask = (): void => peer.say({ type: "pty:asked", id, peer: BEN, label: "ben" });
    peer.driver(ME);
    ask();
    await ana.page.getByText("“ben” asks to type").waitFor();
    await button("Not now").click();
    await ana.page.getByText("asks to type").waitFor({ state: "detached" });
    expect(peer.requests.some(({ type }) => type === "pty:give")).toBe(false);
    ask();
    await button("Hand over").click();
    expect(await peer.request("pty:give")).toEqual({ type: "pty:give", id, peer: BEN });
    await ana.page.getByText("asks to type").waitFor({ state: "detached" });
    peer.requests.splice(0);
    ask();
    await ana.page.getByText("asks to type").waitFor();
    await ana.page.locator(".host").click();
    await ana.press("Alt+o");
    await peer.request("pty:give");
    ask();
    await ana.page.getByText("asks to type").waitFor();
    // Nobody hears the answer while the host is offline.
    peer.say({ type: "bridge", state: "away" });
    await ana.page.getByText("asks to type").waitFor({ state: "detached" });
    peer.say({ type: "bridge", state: "here" });
    await ana.page.getByText("asks to type").waitFor();
    // Who types no longer has nothing to hand over.
    peer.driver(BEN, "ben");
    await ana.page.getByText("asks to type").waitFor({ state: "detached" });
  });

  test("W8 what is typed is sent whoever drives: the bridge makes a driver of it", async () => {
    const peer = await arrive();
    peer.driver(BEN, "ben");
    await ana.page.getByText("ben is typing").waitFor();
    await ana.page.locator(".host").click();
    await ana.type("l");
    expect(await peer.request("pty:input")).toMatchObject({ data: "l" });
    expect(peer.requests.some(({ type }) => type === "pty:resize")).toBe(false);
  });

  test("W4 a view link sees who drives, and has no buttons for it", async () => {
    const peer = await arrive({}, "view");
    peer.driver(BEN, "ben");
    await ana.page.getByText("ben is typing").waitFor();
    expect(await button("Take over").count()).toBe(0);
    expect(await button("Ask to type").count()).toBe(0);
    await ana.press("Alt+o");
    await ana.page.getByText("Read-only: this link can watch, not type.").waitFor();
    expect(peer.requests.some(({ type }) => /drive|ask/.test(type))).toBe(false);
  });

  test("W8 a terminal that this page opened is driven by it", async () => {
    ana = await Visitor.come(browser, "about:blank");
    await ana.page.route("**/pty/spawn", (route) => route.fulfill({ status: 201, json: TERMINAL }));
    await ana.page.goto(room.link());
    const peer = await room.peer(ME);
    peer.terminals();
    await button("Open a terminal").click();
    await peer.request("pty:attach");
    peer.attached({ snapshot: "" });
    await peer.request("pty:drive");
    const order = peer.requests.map(({ type }) => type);
    expect(order.indexOf("pty:view")).toBeLessThan(order.indexOf("pty:drive"));
    // Once: coming back is no claim.
    peer.cut();
    const next = await room.peer(2);
    next.terminals(TERMINAL);
    await next.request("pty:attach");
    next.attached({});
    await next.request("pty:view");
    expect(next.requests.some(({ type }) => type === "pty:drive")).toBe(false);
  });

  test("W8 also when it was announced before it was answered", async () => {
    ana = await Visitor.come(browser, "about:blank");
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await ana.page.route("**/pty/spawn", async (route) => {
      await held;
      await route.fulfill({ status: 201, json: TERMINAL });
    });
    await ana.page.goto(room.link());
    const peer = await room.peer(ME);
    peer.terminals();
    await button("Open a terminal").click();
    peer.say({ type: "terminal", event: "created", terminal: TERMINAL });
    await peer.request("pty:attach");
    peer.attached({ snapshot: "" });
    await peer.request("pty:view");
    expect(peer.requests.some(({ type }) => type === "pty:drive")).toBe(false);
    answer();
    await peer.request("pty:drive");
  });

  test("W8 a bridge that is back is told again what fits here", async () => {
    const peer = await arrive();
    const views = () => peer.requests.filter(({ type }) => type === "pty:view");
    expect(views().length).toBe(1);
    peer.say({ type: "bridge", state: "away" });
    peer.say({ type: "bridge", state: "here" });
    peer.terminals(TERMINAL);
    await peer.request("pty:attach", (one) => one.offset === 0);
    peer.attached();
    await peer.until("another view", () => views().length === 2);
    expect(views()[1]).toEqual(views()[0]);
  });

  test("W8 a phone has the keys that its keyboard lacks", async () => {
    const peer = await arrive({
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 760 },
    });
    const keys = ana.page.getByRole("toolbar", { name: "Keys" });
    const sent: string[] = [];
    const press = async (name: string, data: string): Promise<void> => {
      await keys.getByRole("button", { name, exact: true }).tap();
      await peer.request("pty:input", (one) => one.data === data);
      sent.push(data);
    };
    await press("Esc", "\u001B");
    await press("Tab", "\t");
    await press("Up", "\u001B[A");
    peer.bytes(0, "\u001B[?1h");
    await peer.acked(5);
    await press("Left", "\u001BOD");
    await keys.getByRole("button", { name: "Ctrl" }).tap();
    // Anywhere, also beside the screen, which is smaller here.
    await ana.page.locator(".host").tap();
    await ana.type("c");
    await peer.request("pty:input", ({ data }) => data === "\u0003");
    await ana.type("c");
    await peer.request("pty:input", ({ data }) => data === "c");
    await expect
      .poll(() => keys.getByRole("button", { name: "Ctrl" }).getAttribute("aria-pressed"))
      .toBe("false");
    expect(await ana.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    peer.driver(BEN, "a person with a long name", 12);
    const box = await button("Take over").boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
    await button("Ask").waitFor();
  });
});
