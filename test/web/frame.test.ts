// The page around its views, against a room that says what it is told: commands by key, by button
// and in the help, and the words for those who come to nothing.

import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { Visitor, startBrowser } from "../support/browser.ts";
import { FakeRoom, TERMINAL } from "../support/fake-room.ts";
import { faultsOf } from "../support/faults.ts";

const browser = await startBrowser();

describe.skipIf(!browser)("the frame", () => {
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

  const hints = async (name: string): Promise<(string | null)[]> => {
    const button = ana.page.getByRole("button", { name, exact: true });
    return [await button.getAttribute("title"), await button.getAttribute("aria-keyshortcuts")];
  };

  test("W20 buttons have the keys of their commands, and the help lists them all", async () => {
    ana = await Visitor.come(browser, room.link());
    const peer = await room.peer(1);
    peer.terminals();
    await ana.page.getByRole("heading", { name: "No terminals yet" }).waitFor();
    expect(await hints("Open a terminal")).toEqual(["Open a terminal (Alt+N)", "Alt+N"]);
    peer.terminals({ ...TERMINAL, number: 3 });
    const tab = ana.page.getByRole("tab");
    await tab.waitFor();
    expect(await tab.getAttribute("aria-keyshortcuts")).toBe("Alt+3 Delete");
    expect(await hints("New")).toEqual(["Open a terminal (Alt+N)", "Alt+N"]);
    expect(await hints("Keyboard shortcuts")).toEqual(["Keyboard shortcuts (Alt+/)", "Alt+/"]);
    await peer.request("pty:attach");
    peer.attached({ snapshot: "$ " });
    peer.driver(7, "ben");
    const takeOver = ana.page.getByRole("button", { name: "Take over" });
    await takeOver.waitFor();
    expect(await takeOver.getAttribute("aria-keyshortcuts")).toBe("Alt+O");
    await ana.press("Alt+/");
    const help = ana.page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.waitFor();
    expect(await help.locator("dt").allInnerTexts()).toContain("Alt\nO");
    // The page's keys do nothing behind a dialog.
    await ana.press("Alt+w");
    expect(await ana.page.getByRole("dialog").count()).toBe(1);
    expect(await faultsOf(ana)).toEqual([]);
  });

  test("W20 Ctrl+Shift+C copies what is selected, and is the program's where nothing is", async () => {
    ana = await Visitor.come(browser, room.link());
    const peer = await room.peer(1);
    peer.terminals(TERMINAL);
    await peer.request("pty:attach");
    peer.attached({ snapshot: "selected" });
    await ana.shows("selected");
    await ana.page.evaluate(() => {
      const listener = (event: ClipboardEvent): void => {
        const text = event.clipboardData?.getData("text/plain");
        document.body.dataset["copied"] = `${document.body.dataset["copied"] ?? ""}${text}.`;
      };
      document.addEventListener("copy", listener);
    });
    const copied = () => ana.page.evaluate(() => document.body.dataset["copied"]);
    await ana.page.locator(".host").click();
    await ana.press("Control+Shift+C");
    expect(await copied()).toBeUndefined();
    await ana.page.locator(".xterm-screen").dblclick({ position: { x: 20, y: 8 } });
    await ana.press("Control+Shift+C");
    expect(await copied()).toBe("selected.");
  });

  test("W21 the view in use is so again after a reload, and others keep their places", async () => {
    const second = { ...TERMINAL, id: "pty-bbbbbb", number: 2, createdAt: 2 };
    const both = [{ ...TERMINAL, number: 1 }, second];
    ana = await Visitor.come(browser, room.link());
    (await room.peer(1)).terminals(...both);
    const selected = ana.page.locator('[role="tab"][aria-selected="true"]');
    const panels = ana.page.locator('[role="tabpanel"]');
    await ana.page.locator("#tab-pty-aaaaaa[aria-selected=true]").waitFor();
    expect(await panels.count()).toBe(1);
    await ana.press("Alt+2");
    await ana.page.locator("#tab-pty-bbbbbb[aria-selected=true]").waitFor();
    expect(await panels.count()).toBe(2);
    await ana.page.reload();
    (await room.peer(2)).terminals(...both);
    await ana.page.locator("#tab-pty-bbbbbb[aria-selected=true]").waitFor();
    expect(await selected.count()).toBe(1);
    expect(await panels.count()).toBe(1);
  });

  test("W6 an address without a workspace takes a link, and says what a wrong one lacks", async () => {
    ana = await Visitor.come(browser, room.link().replace(/\/w\/.*/, "/w/UPPER"));
    await ana.page.getByRole("heading", { name: "No workspace at this address" }).waitFor();
    await ana.page.getByLabel("Invite link", { exact: true }).fill("pp_half");
    await ana.press("Enter");
    await ana.page.getByText("This is not an invite link or a token.").waitFor();
    await ana.page.getByLabel("Invite link", { exact: true }).fill(room.link());
    await ana.press("Enter");
    (await room.peer(1)).terminals();
    await ana.status("Live");
  });
});
