// What the page says by itself, against a room that says what it is told: toasts that replace each
// other or stay, and the notice of a host that is away. At a desk and on a phone.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startBrowser, Visitor } from "../support/browser.ts";
import type { FakePeer } from "../support/fake-room.ts";
import { FakeRoom, TERMINAL } from "../support/fake-room.ts";

const browser = await startBrowser();
const DESK = { viewport: { width: 1280, height: 800 } };

describe.skipIf(!browser)("what the page says", () => {
  let room: FakeRoom;
  let ana: Visitor;
  let peer: FakePeer;

  beforeEach(async () => {
    room = await FakeRoom.open();
  });
  afterEach(async () => {
    await ana.leave();
    room.close();
  });

  async function arrive(options: object = DESK): Promise<void> {
    ana = await Visitor.come(browser, room.link(), options);
    peer = await room.arrived("edit");
    await ana.shows("$");
  }

  const messages = () => ana.page.locator(".messages .toast p").allInnerTexts();

  test("W60 who is limited to watching reads one sentence about it, also when they go on typing", async () => {
    await arrive();
    const you = { type: "room:you", you: "a", label: "edit link" } as const;
    peer.say({ ...you, role: "edit" });
    await ana.page.locator(".host").first().click();
    await ana.type("x");
    await peer.request("pty:input");
    peer.say({ ...you, role: "view", limited: true });
    await ana.page.getByText("This browser was limited to watching.").waitFor();
    await ana.type("y");
    await ana.page.getByText("Read-only: this browser was limited to watching").waitFor();
    expect(await messages()).toHaveLength(1);
    const error = "This browser was limited to watching; ask the host to let you type again";
    peer.say({ type: "pty:error", id: TERMINAL.id, code: "forbidden", error });
    await ana.page.getByText(error).waitFor();
    expect(await messages()).toEqual([error]);
  });

  test("W13 what a sleeping host dropped is named with its terminal, and stays until it is dismissed", async () => {
    await arrive();
    // Before anything is shown: so that the toasts' own time can go by at once.
    await ana.page.clock.install();
    const error = "The host was asleep: what you typed was not run. Try again.";
    peer.say({ type: "pty:error", id: TERMINAL.id, code: "host_asleep", error });
    await ana.page.getByText(`project: ${error}`).waitFor();
    await ana.page.clock.fastForward(60_000);
    expect(await messages()).toEqual([`project: ${error}`]);
    await ana.page.getByRole("button", { name: "Dismiss message" }).click();
    expect(await messages()).toEqual([]);
  });

  test("W15 a name given by the terminal's own menu leaves the focus in the terminal", async () => {
    await arrive();
    await ana.page.locator(".host").first().click();
    await ana.page.getByRole("button", { name: "More" }).click();
    await ana.page.getByRole("menuitem", { name: "Rename" }).click();
    await ana.page.getByRole("heading", { name: "Name this terminal" }).waitFor();
    await ana.type("by the menu\n");
    await peer.request("pty:rename", ({ name }) => name === "by the menu");
    await ana.page.locator("dialog").waitFor({ state: "detached" });
    await ana.type("k");
    await peer.request("pty:input", ({ data }) => data === "k");
  });
});
