// The page around its views, against a room that says what it is told: commands by key, by button
// and in the help, and the words for those who come to nothing. A visit for each test.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Terminal } from "../../protocol/terminal.ts";
import { Visitor, startBrowser } from "../support/browser.ts";
import type { FakePeer } from "../support/fake-room.ts";
import { FakeRoom, TERMINAL } from "../support/fake-room.ts";
import { listFaults } from "../support/faults.ts";

const browser = await startBrowser();

describe.skipIf(!browser)("the frame", () => {
  const both = [
    { ...TERMINAL, number: 1 },
    { ...TERMINAL, id: "pty-2", number: 2, createdAt: 2, command: ["htop"] },
  ];
  let room: FakeRoom;
  let ana: Visitor;
  let peer: FakePeer;

  beforeEach(async () => {
    room = await FakeRoom.open();
  });
  afterEach(async () => {
    const faults = ana.faults.splice(0);
    await ana.leave();
    room.close();
    expect(faults).toEqual([]);
  });

  async function arrive(...terminals: Terminal[]): Promise<void> {
    ana = await Visitor.come(browser, room.link());
    peer = await room.peer(1);
    peer.terminals(...terminals);
    await ana.status("Live");
  }

  /** With the first of them on the screen. */
  async function attach(...terminals: Terminal[]): Promise<void> {
    await arrive(...terminals);
    await peer.request("pty:attach");
    peer.attached({ snapshot: "$ " });
    await ana.shows("$");
  }

  const hints = async (name: string): Promise<(string | null)[]> => {
    const button = ana.page.getByRole("button", { name, exact: true });
    return [await button.getAttribute("title"), await button.getAttribute("aria-keyshortcuts")];
  };

  const option = (name: string | RegExp) => ana.page.getByRole("option", { name });

  test("W6 an address without a workspace takes a link, and says what a wrong one lacks", async () => {
    ana = await Visitor.come(browser, room.link().replace(/\/w\/.*/, "/w/UPPER"));
    await ana.page.getByRole("heading", { name: "No workspace at this address" }).waitFor();
    await ana.page.getByLabel("Invite link", { exact: true }).fill("pp_half");
    await ana.press("Enter");
    await ana.page.getByText("This is not an invite link or a token.").waitFor();
    await ana.page.getByLabel("Invite link", { exact: true }).fill(room.link());
    await ana.press("Enter");
    peer = await room.peer(1);
    peer.terminals();
    await ana.status("Live");
  });

  test("W20 buttons have the keys of their commands, and the help lists them all", async () => {
    await arrive();
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
    await ana.press("Escape");
    await help.waitFor({ state: "detached" });
  });

  test("W104 Ctrl+Shift+C copies what is selected, and is the program's where nothing is", async () => {
    await attach(TERMINAL);
    peer.bytes(0, "\u001Bcselected");
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
    await expect.poll(copied).toBe("selected.");
  });

  test("W15 a dialog that is done gives the focus back, however it was opened", async () => {
    await attach(...both);
    const terminal = ana.page.locator(".panel[data-active=true] .host");
    const tab = ana.page.getByRole("tab").first();
    const rename = async (name: string): Promise<void> => {
      await ana.page.getByRole("heading", { name: "Name this terminal" }).waitFor();
      await ana.page.keyboard.type(name);
      await ana.press("Enter");
      await peer.request("pty:rename", (one) => one.name === name);
      await ana.page.locator("dialog").waitFor({ state: "detached" });
    };
    const typed = async (data: string): Promise<void> => {
      await ana.page.keyboard.type(data);
      await peer.request("pty:input", (one) => one.data === data);
    };
    await terminal.click();
    await ana.press("Alt+Shift+N");
    await rename("by key");
    await typed("a");
    await tab.dblclick();
    await rename("by a double click");
    await typed("b");
    await ana.press("Alt+0", "F2");
    await rename("in the tabs");
    await expect.poll(() => tab.evaluate((one) => one === document.activeElement)).toBe(true);
    await ana.press("Enter");
    await ana.press("Alt+Shift+P");
    await ana.page.getByRole("combobox").fill("rename");
    await ana.press("Enter");
    await rename("by the palette");
    await typed("c");
  });

  test("FR8 FR9 people have faces, and whoever may share gets the words for an agent’s program", async () => {
    await attach(...both);
    const person = (id: string, name: string) =>
      ({ id, name, label: "link", role: "edit", since: 1 }) as const;
    const ben = { ...person("b", "Ben Okoro"), typing: TERMINAL.id };
    const people = [
      person("a", "Ana"),
      ben,
      person("c", "Cy"),
      person("d", "Di"),
      person("e", "E"),
    ];
    peer.say({ type: "room:people", whole: true, gone: [], people });
    const faces = ana.page.locator(".face");
    await expect.poll(() => faces.allInnerTexts()).toEqual(["A", "BO", "C", "+2"]);
    expect(await ana.page.locator(".face.typing").innerText()).toBe("BO");
    await ana.press("Alt+Shift+G");
    await ana.page.getByText("This link cannot create tokens.").waitFor();
    peer.say({ type: "room:you", you: "a", label: "link", role: "edit", mayShare: true });
    // What was said before it has been heard by then.
    peer.driver(7, "ben");
    await ana.page.getByText("ben is typing").waitFor();
    await ana.press("Alt+Shift+G");
    const dialog = ana.page.getByRole("dialog", { name: "Connect an agent" });
    await dialog.getByLabel("The agent’s program").selectOption("codex");
    await dialog.getByRole("button", { name: "Create token" }).click();
    expect(await peer.request("room:share")).toMatchObject({ role: "agent", label: "codex" });
    const link = "https://relay.example.com/w/fake#pp_1111111111_secret";
    const grant = { id: "1111111111", role: "agent", label: "codex", expiresAt: null } as const;
    peer.say({ type: "room:shared", link, grant });
    await dialog.locator("pre").waitFor();
    const text = await dialog.locator("pre").innerText();
    expect(text).toContain('url = "https://relay.example.com/w/fake/mcp"');
    expect(text).toContain("Bearer pp_1111111111_secret");
    await dialog.getByText("codex features disable shell_tool").waitFor();
    await dialog.getByLabel("The agent’s program").selectOption("gemini");
    await dialog.getByText("Put this into .gemini/settings.json").waitFor();
    expect(await dialog.locator("pre").innerText()).toContain('"httpUrl"');
    await dialog.getByLabel("The agent’s program").selectOption("codex");
    expect(await listFaults(ana)).toEqual([]);
    await dialog.getByRole("button", { name: "Done" }).click();
    // By its element: a closed one has no role, and is there for a moment more.
    await ana.page.locator("dialog").waitFor({ state: "detached" });
    await ana.press("Alt+Shift+G");
    await dialog.getByRole("button", { name: "Create token" }).waitFor();
    expect(await dialog.locator("pre").count()).toBe(0);
    await ana.press("Escape");
    await ana.page.locator("dialog").waitFor({ state: "detached" });
  });

  test("FR4 FR12 FR13 FR14 the palette filters, says why not, goes to a tab, and remembers what was used", async () => {
    await attach(...both);
    await ana.press("Alt+Shift+P");
    await ana.page.getByRole("combobox").waitFor();
    await ana.page.keyboard.type("start ended");
    await option(/Start an ended terminal again.*Not available right now/).waitFor();
    await ana.press("Enter");
    expect(await ana.page.getByRole("dialog").count()).toBe(1);
    await ana.page.getByRole("combobox").fill("theme");
    await ana.page.getByRole("option").first().getByText("Settings for this browser").waitFor();
    await ana.page.getByRole("combobox").fill("htop");
    await ana.press("Enter");
    await expect
      .poll(() => ana.page.getByRole("tab", { name: /htop/ }).getAttribute("aria-selected"))
      .toBe("true");
    await ana.page.locator("dialog").waitFor({ state: "detached" });
    await ana.page.getByRole("button", { name: "Show all commands and tabs" }).click();
    await ana.page.getByRole("option").first().getByText("Go to htop").waitFor();
    await ana.press("ArrowUp");
    await ana.press("Escape");
    await expect.poll(() => ana.page.getByRole("dialog").count()).toBe(0);
  });

  test("W21 FR5 FR6 FR15 FR16 FR18 settings hold at once and in every terminal, after a reload as the view in use does, until they are reset", async () => {
    await attach(...both);
    await ana.press("Alt+2");
    const panels = ana.page.locator('[role="tabpanel"]');
    const isInUse = async () => {
      await ana.page.locator("#tab-pty-2[aria-selected=true]").waitFor();
      expect(await ana.page.locator('[role="tab"][aria-selected="true"]').count()).toBe(1);
    };
    await isInUse();
    // The one that was in use before has its place still.
    expect(await panels.count()).toBe(2);
    await peer.request("pty:attach", (one) => one.id === "pty-2");
    peer.attached({ id: "pty-2", channel: 2, snapshot: "htop" });
    await ana.shows("htop");
    await ana.press("Alt+,");
    const dialog = ana.page.getByRole("dialog", { name: "Settings for this browser" });
    await dialog.getByLabel("Theme").selectOption("Paper");
    await dialog.getByLabel("Font").selectOption("Courier New");
    await dialog.getByLabel("Text size", { exact: true }).fill("20");
    await dialog.getByLabel("Scrollback lines").selectOption("1,000");
    await dialog.getByLabel("Screen reader").check();
    await dialog.getByText("Keys that go to the shell").click();
    await dialog.getByLabel(/Open a terminal$/).check();
    const options = () =>
      ana.page.evaluate(() => {
        // Another window's size: the letters are scaled to it.
        const size = localStorage.getItem("pairpty:font");
        return [...document.querySelectorAll<Host>(".host")].map(({ terminal }) => {
          const { fontFamily, scrollback, screenReaderMode, theme } = terminal?.options ?? {};
          return { fontFamily, size, scrollback, screenReaderMode, theme };
        });
      });
    const paper = {
      fontFamily: expect.stringContaining("Courier New"),
      size: "20",
      scrollback: 1_000,
      screenReaderMode: true,
      theme: { background: "#fcf8f0" },
    };
    await expect.poll(options).toMatchObject([paper, paper]);
    const ground = () => ana.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await expect.poll(ground).toBe("rgb(237, 231, 219)");
    await dialog.getByRole("button", { name: "Done" }).click();
    await ana.page.locator(".panel[data-active=true] .host").click();
    await ana.press("Alt+n");
    await peer.request("pty:input");
    await ana.page.reload();
    const again = await room.peer(2);
    again.terminals(...both);
    await again.request("pty:attach", (one) => one.id === "pty-2");
    await isInUse();
    expect(await panels.count()).toBe(1);
    await expect.poll(options).toMatchObject([paper]);
    await expect.poll(ground).toBe("rgb(237, 231, 219)");
    await ana.press("Alt+,");
    await dialog.getByRole("button", { name: "Reset all" }).click();
    await expect
      .poll(options)
      .toMatchObject([{ size: null, scrollback: 5_000, screenReaderMode: false }]);
    await expect.poll(ground).not.toBe("rgb(237, 231, 219)");
  });
});

interface Host extends HTMLElement {
  terminal?: { options: Record<string, unknown> };
}
