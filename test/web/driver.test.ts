// Who drives, as the page shows and asks it, against a room that says what it is told. At a desk one
// visit is for all of it; what a phone shows of it is in touch.test.ts.

import type { BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
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
  let peer: FakePeer;

  async function arrive(options: BrowserContextOptions = {}, role: Role = "edit"): Promise<void> {
    room = await FakeRoom.open();
    ana = await Visitor.come(browser, room.link(), options);
    peer = await room.arrived(role);
  }

  async function leave(): Promise<void> {
    await ana.leave();
    room.close();
  }

  const button = (name: string) => ana.page.getByRole("button", { name });
  const inputs = () => peer.requests.filter(({ type }) => type === "pty:input");

  describe("at a desk", () => {
    beforeAll(() => arrive());
    afterEach(() => {
      peer.requests.splice(0);
      expect(ana.faults.splice(0)).toEqual([]);
    });
    afterAll(leave);

    test("W81 a bridge that is back is told again what fits here", async () => {
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

    test("I102 at a desk a long path is cut at its beginning, and nothing else of the line", async () => {
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
      await ana.page.setViewportSize({ width: 1100, height: 700 });
      peer.say({ type: "terminal", event: "changed", terminal: TERMINAL });
    });

    test("W8 who drives and how many look on is shown", async () => {
      peer.driver(null, undefined, 1);
      await ana.page.getByText("Idle").waitFor();
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
    });

    test("W79 W80 taking over and asking, by button and by key", async () => {
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
      expect(inputs()).toEqual([]);
      // Back by a word, in a shell: in a terminal no command of the page has that key.
      await ana.press("Alt+b");
      expect(await peer.request("pty:input")).toMatchObject({ data: "\u001Bb" });
      await button("More").click();
      await ana.page.getByRole("menuitem", { name: /^Lock size/ }).click();
      expect(await peer.request("pty:pin")).toMatchObject({ id, on: true });
    });

    test("I60 I101 I107 a person steps in to an agent's terminal, sees which program reads, and hands back, by button and by key", async () => {
      const agents: Terminal = { ...TERMINAL, owner: "agent", visible: false, startedBy: "robot" };
      const fireEvent = (terminal: Terminal) =>
        peer.say({ type: "terminal", event: "changed", terminal });
      fireEvent(agents);
      await ana.page.getByText("robot is working here").waitFor();
      await ana.type("x");
      await ana.page.getByText("Step in (Alt+I) to type.").waitFor();
      await button("Step in").click();
      await peer.request("pty:step-in");
      expect(inputs()).toEqual([]);
      fireEvent({ ...agents, steppedIn: { label: "ana", peer: ME } });
      const bash = { program: "/usr/bin/bash", command: ["bash"], startedBy: "robot" };
      peer.say({ type: "pty:foreground", id, ...bash });
      await ana.page.getByText("your keys go to /usr/bin/bash, started by robot").waitFor();
      expect(await ana.page.locator(".strip").innerText()).not.toContain("sudo");
      // How to step in is not said to somebody who has.
      expect(await ana.page.getByText("Step in (Alt+I) to type.").count()).toBe(0);
      const reader = { program: "/usr/bin/ssh", command: ["ssh", "host"], startedBy: "robot" };
      peer.say({ type: "pty:foreground", id, ...reader });
      await ana.page.getByText("your keys go to /usr/bin/ssh, started by robot").waitFor();
      await ana.page.getByText("ssh stays open afterwards").waitFor();
      // The cursor is in the terminal again.
      await ana.type("y");
      expect(await peer.request("pty:input")).toMatchObject({ data: "y" });
      await button("Hand back, hide what was typed").click();
      expect(await peer.request("pty:hand-back")).toMatchObject({ id, hide: true });
      peer.requests.splice(0);
      await ana.press("Alt+i");
      expect(await peer.request("pty:hand-back")).not.toHaveProperty("hide");
      fireEvent({ ...agents, steppedIn: { label: "ben", peer: BEN } });
      await ana.page.getByText("ben has stepped in").waitFor();
      // What its commands print is nothing to step in to.
      fireEvent({ ...agents, feed: true });
      await ana.page.getByText("Output of robot’s commands").waitFor();
      expect(await button("Step in").count()).toBe(0);
      await ana.type("x");
      await ana.page.getByText("This terminal shows the output of an agent’s commands").waitFor();
      fireEvent(TERMINAL);
    });

    test("W80 the driver is asked, and hands over or not", async () => {
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

    test("W79 what is typed is sent whoever drives: the bridge makes a driver of it", async () => {
      peer.driver(BEN, "ben");
      await ana.page.getByText("ben is typing").waitFor();
      await ana.page.locator(".host").click();
      await ana.type("l");
      expect(await peer.request("pty:input")).toMatchObject({ data: "l" });
      expect(peer.requests.some(({ type }) => type === "pty:resize")).toBe(false);
    });
  });

  describe("elsewhere", () => {
    afterEach(leave);

    test("W4 a view link sees who drives, and has no buttons for it", async () => {
      await arrive({}, "view");
      peer.driver(BEN, "ben");
      await ana.page.getByText("ben is typing").waitFor();
      expect(await button("Take over").count()).toBe(0);
      expect(await button("Ask to type").count()).toBe(0);
      await ana.press("Alt+o");
      await ana.page.getByText("Read-only: this link cannot type.").waitFor();
      expect(peer.requests.some(({ type }) => /drive|ask/.test(type))).toBe(false);
    });

    test("W8 a terminal that this page opened is driven by it, also when it was announced before it was answered", async () => {
      room = await FakeRoom.open();
      ana = await Visitor.come(browser, "about:blank");
      const second: Terminal = { ...TERMINAL, id: "pty-bbbbbb", number: 2, createdAt: 2 };
      await ana.page.goto(room.link());
      const first = await room.peer(ME);
      first.terminals();
      await button("Open a terminal").click();
      const asked = await first.request("pty:spawn");
      first.say({ type: "pty:spawned", id: asked.id, terminal: TERMINAL });
      await first.request("pty:attach");
      first.attached({ snapshot: "" });
      await first.request("pty:drive");
      const order = first.requests.map(({ type }) => type);
      expect(order.indexOf("pty:view")).toBeLessThan(order.indexOf("pty:drive"));
      // Once: coming back is no claim.
      first.cut();
      const next = await room.peer(2);
      next.terminals(TERMINAL);
      await next.request("pty:attach");
      next.attached({});
      await next.request("pty:view");
      const claims = () => next.requests.filter(({ type }) => type === "pty:drive");
      expect(claims()).toEqual([]);
      // Announced, looked at, and only then answered.
      await ana.press("Alt+n");
      const { id: request } = await next.request("pty:spawn");
      next.say({ type: "terminal", event: "created", terminal: second });
      await ana.page.locator(`#tab-${second.id}`).click();
      await next.request("pty:attach", (one) => one.id === second.id);
      next.attached({ id: second.id, channel: 2, snapshot: "" });
      await next.request("pty:view", (one) => one.id === second.id);
      expect(claims()).toEqual([]);
      next.say({ type: "pty:spawned", id: request, terminal: second });
      expect(await next.request("pty:drive")).toMatchObject({ id: second.id });
    });
  });
});
