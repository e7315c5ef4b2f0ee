// Every view and dialog of the page once, at a desk and on a phone, dark and light: what keeps somebody
// out of it, by axe, and what a finger cannot hit.

import type { BrowserContextOptions } from "playwright-core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Terminal } from "../../protocol/terminal.ts";
import { approval } from "../support/approvals.ts";
import { Visitor, startBrowser } from "../support/browser.ts";
import { FakeConversation } from "../support/conversations.ts";
import type { FakePeer } from "../support/fake-room.ts";
import { FakeRoom, TERMINAL } from "../support/fake-room.ts";
import { listAllFaults, faintTexts, listShapeFaults, smallTargets } from "../support/faults.ts";
import { Fingers, PHONE } from "../support/fingers.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const browser = await startBrowser();
const { id } = TERMINAL;
const BEN = 7;
const poll = { timeout: PATIENCE_MS };
const PANEL = ".panel[data-active=true]";
const logged = (name: string): string => `[role=log][aria-label="${name}"]`;
/**
 * Lines of long lists, behind the first of their kind. At a desk axe, which takes milliseconds for each
 * text, does without them: their shape is looked at on the phone, and their colours beside axe.
 */
const ALIKE = [".keys > :nth-child(n+7)", "#palette-list > :nth-child(n+9)"];
/** Fewer pixels to paint, and nothing that breathes: neither changes what is where. */
const SMALL_PHONE = { ...PHONE, deviceScaleFactor: 1, reducedMotion: "reduce" } as const;

describe.skipIf(!browser)("every view", () => {
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

  const dialog = () => ana.page.getByRole("dialog");
  const away = async (): Promise<void> => {
    await ana.press("Escape");
    await dialog().waitFor({ state: "detached" });
  };
  const changed = (part: Partial<Terminal>): void =>
    peer.say({ type: "terminal", event: "changed", terminal: { ...TERMINAL, ...part } });

  /** `parts`: what alone is new there. */
  type Look = (where: string, parts?: string[]) => Promise<void>;

  async function before(options: BrowserContextOptions, look: Look): Promise<void> {
    ana = await Visitor.come(browser, room.link().replace(/#.*/, ""), options);
    await ana.page.getByRole("heading", { name: "You need an invite link" }).waitFor();
    await look("the gate");
    await ana.page.goto(room.link());
    peer = await room.peer(1);
    peer.say({ type: "room:waiting" });
    await ana.page.getByRole("heading", { name: "Waiting to be let in" }).waitFor();
    await look("at the door");
    peer.say({ type: "room:welcome" });
    peer.terminals();
    await ana.page.getByRole("heading", { name: "No terminals yet" }).waitFor();
    await look("without terminals");
  }

  async function open(): Promise<void> {
    peer.say({ type: "room:you", you: "a", label: "Edit link", role: "edit", mayShare: true });
    const second = { ...TERMINAL, id: "pty-bbbbbb", number: 2, createdAt: 2 };
    peer.terminals({ ...TERMINAL, number: 1 }, second);
    await peer.request("pty:attach");
    peer.attached({ snapshot: "$ see ./some/path\r\n".repeat(90) });
    peer.driver(1);
    await ana.shows("some");
    await ana.page.locator(".name-card").waitFor();
  }

  async function terminals(look: Look): Promise<void> {
    await open();
    await look("a terminal, and the question for a name");
    await ana.page.getByRole("button", { name: "Skip" }).click();
    peer.driver(BEN, "ben", 3);
    await ana.page.getByRole("button", { name: "Take over" }).waitFor();
    await look("another's terminal", [PANEL]);
    peer.driver(1);
    peer.say({ type: "pty:asked", id, peer: BEN, label: "ben" });
    await ana.page.getByRole("button", { name: "Hand over" }).waitFor();
    await ana.press("Shift+PageUp", "Control+Shift+F");
    await ana.page.getByRole("search").waitFor();
    await look("finding, scrolled back, somebody asks to type", [PANEL, logged("Questions")]);
    await ana.press("Escape");
    await ana.page.getByRole("button", { name: "Hand over" }).click();
    await ana.page.getByRole("button", { name: "More" }).click();
    await ana.page.getByRole("menu").waitFor();
    await look("a terminal's menu", ["[role=menu]"]);
    await ana.press("Escape");
  }

  async function dialogs(look: Look): Promise<void> {
    const since = Date.now();
    const people = [
      { id: "a", label: "Edit link", role: "edit" as const, since },
      { id: "b", label: "View link", name: "ben", role: "view" as const, since, looking: id },
    ];
    peer.say({ type: "room:people", people, gone: [], whole: true });
    const knock = { id: "k", label: "Edit link", name: "cleo", role: "edit" as const, since };
    peer.say({ type: "room:knocks", knocks: [knock] });
    await ana.page.getByRole("button", { name: "Let in" }).waitFor();
    await look("somebody knocks", [logged("Waiting to join")]);
    await ana.press("Alt+u");
    await dialog().getByText("ben").first().waitFor();
    await look("the list of people");
    peer.say({ type: "room:knocks", knocks: [] });
    await away();
    await ana.press("Alt+/");
    await dialog().waitFor();
    await look("the list of keys");
    await away();
    const OPENED_BY = {
      "Alt+w": "a question before something ends",
      "Alt+Shift+P": "the palette",
      "Alt+,": "settings",
      "Alt+Shift+T": "the list of tabs",
      "Alt+Shift+N": "a terminal's name",
      "Alt+Shift+G": "connecting an agent",
    };
    for (const [keys, where] of Object.entries(OPENED_BY)) {
      await ana.press(keys);
      await dialog().getByRole("heading").first().waitFor();
      await look(where);
      await away();
    }
    const recording = { id: "x", title: "work", startedAt: since, seconds: 4, bytes: 1_400 };
    await ana.page.route(/\/recordings$/, (route) => route.fulfill({ json: [recording] }));
    const cast = `{"version":3,"term":{"cols":40,"rows":5}}\n[0.1,"o","$ "]\n[0.1,"m","ana is typing"]\n`;
    await ana.page.route(/\/recordings\/x$/, (route) => route.fulfill({ body: cast }));
    await ana.press("Alt+Shift+V");
    await dialog().getByRole("button", { name: "Delete" }).waitFor();
    await look("recordings");
    await dialog().getByRole("button", { name: "Replay" }).click();
    await dialog().getByLabel("Position").waitFor();
    await look("a recording that plays");
    await away();
    await ana.page.locator(".panel[data-active=true] .host").evaluate((host: Host) => {
      host.terminal?.options.linkHandler.activate(new MouseEvent("click"), "https://pairpty.dev/x");
    });
    await dialog().waitFor();
    await look("a link");
    await away();
  }

  async function agents(look: Look): Promise<void> {
    const toolArguments = approval({
      command: 'git reset --hard "$X" > out',
      offers: ["once", "session", "prefix", "deny"],
      rule: "git reset …",
      expiresAt: Date.now() + 600_000,
    });
    peer.say({ type: "approval:open", ids: [toolArguments.id] });
    peer.say({ type: "approval:requested", approval: toolArguments });
    await ana.page.locator('.question-main button[aria-disabled="false"]').first().waitFor();
    await look("an agent's question", [".question"]);
    peer.say({ type: "approval:settled", id: toolArguments.id, outcome: "denied" });
    await ana.page.locator(".question").waitFor({ state: "detached" });
    await ana.press("Alt+Shift+A");
    await peer.request("audit:open");
    const row = { at: "2026-01-02T03:04:05.678Z", grant: "g1", label: "claude-code" };
    const entries = [
      { ...row, event: "call", tool: "bash", outcome: "done" },
      {
        ...row,
        event: "policy",
        tool: "bash",
        verdict: "dangerous",
        why: ["rm"],
        outcome: "refused",
      },
    ];
    peer.say({ type: "audit:entries", entries, before: "1", isOlder: false });
    await ana.page.getByRole("log", { name: "Timeline" }).getByText("bash").first().waitFor();
    await look("what agents did");
    await ana.press("Alt+1");
    const startedBy = "claude-code";
    changed({ owner: "agent", startedBy, number: 1, steppedIn: { label: "ana", peer: 1 } });
    peer.say({
      type: "pty:foreground",
      id,
      program: "/usr/bin/sudo",
      command: ["sudo"],
      startedBy,
    });
    await ana.page.getByRole("button", { name: "Hand back" }).first().waitFor();
    await look("an agent's terminal that she stepped in to", [PANEL]);
    const talk = new FakeConversation(peer, {});
    talk.entries.push(
      { id: "1", at: 1, kind: "prompt", by: "ana", text: "Mend `it`" },
      {
        id: "2",
        at: 2,
        kind: "message",
        text: "# Done\n\n- [x](https://x.dev)\n\n```js\nlet a;\n```",
      },
    );
    talk.list();
    await ana.page.getByRole("tab", { name: /claude/ }).click();
    await talk.opened();
    await ana.page.getByRole("log", { name: /conversation/i }).waitFor();
    await look("a conversation");
    await ana.press("Alt+1");
    changed({ number: 1 });
    peer.say({ type: "pty:exit", id, exitCode: 127, signal: null });
    await ana.page.getByText("command not found").waitFor();
    await look("an ended terminal", [PANEL]);
    peer.say({ type: "bridge", state: "away" });
    await ana.page.locator(".toast.warn").waitFor();
    await look("the host is away", [".toast.warn", "header"]);
  }

  test("TO8 TO11 TO25 TO26 by keys alone: into the terminal, out of it and on through the page; what comes by itself is said aloud and takes no focus", async () => {
    ana = await Visitor.come(browser, room.link());
    peer = await room.peer(1);
    peer.terminals({ ...TERMINAL, number: 1 });
    await peer.request("pty:attach");
    peer.attached({ snapshot: "$ " });
    await ana.shows("$");
    const focused = () =>
      ana.page.evaluate(() => {
        const one = document.activeElement;
        return one?.getAttribute("aria-label") ?? one?.textContent ?? "";
      });
    await ana.press("Alt+0");
    for (let step = 0; step < 6 && (await focused()) !== "Go to project"; step++)
      await ana.press("Shift+Tab");
    const skip = ana.page.getByRole("button", { name: "Go to project" });
    expect((await skip.boundingBox())?.x).toBe(8);
    expect(await skip.evaluate((one) => getComputedStyle(one).outlineStyle)).toBe("solid");
    await ana.press("Enter");
    await expect.poll(focused, poll).toMatch(/^Terminal input; Alt\+0/);
    // Tab is the program's.
    await ana.press("Tab");
    await peer.request("pty:input", ({ data }) => data === "\t");
    await ana.press("Alt+0");
    await ana.page.locator('[role="tab"]:focus').waitFor();
    const seen: string[] = [];
    for (let step = 0; step < 12; step++) {
      await ana.press("Tab");
      const now = await focused();
      if (now.startsWith("Terminal input")) break;
      seen.push(now);
    }
    expect(seen).toContain("Keyboard shortcuts");
    expect(await focused()).toMatch(/^Terminal input/);
    await saidAloud();
    expect(ana.faults).toEqual([]);
  });

  /** [TO11] In places that are there before. */
  async function saidAloud(): Promise<void> {
    await open();
    await ana.page.locator(".host").click();
    const POLITENESS = {
      Messages: "polite",
      Questions: "assertive",
      "Waiting to join": "assertive",
    };
    for (const [name, live] of Object.entries(POLITENESS)) {
      const place = ana.page.getByRole("log", { name });
      expect([name, await place.count()]).toEqual([name, 1]);
      expect(await place.getAttribute("aria-live")).toBe(live);
      expect(await place.innerText()).toBe("");
    }
    const knock = { id: "k", label: "Edit link", name: "cleo", role: "edit" as const, since: 1 };
    peer.say({ type: "room:knocks", knocks: [knock] });
    await ana.page.getByRole("log", { name: "Waiting to join" }).getByText("cleo").waitFor();
    peer.say({ type: "pty:asked", id, peer: BEN, label: "ben" });
    await ana.page.getByRole("log", { name: "Questions" }).getByText("ben").waitFor();
    peer.say({ type: "approval:open", ids: ["ap-1"] });
    peer.say({ type: "approval:requested", approval: approval() });
    const aloud = ana.page.locator('[role=status][aria-live="assertive"]');
    await aloud.filter({ hasText: "claude-code" }).waitFor();
    await ana.type("x");
    await peer.request("pty:input", ({ data }) => data === "x");
  }

  async function everyView(options: BrowserContextOptions, look: Look): Promise<void> {
    await before(options, look);
    await terminals(look);
    await dialogs(look);
    await agents(look);
  }

  test("TO9 at a desk axe finds nothing in any view or dialog, and text stands out, dark or light", async () => {
    const found: string[] = [];
    await everyView({ colorScheme: "dark" }, async (where, parts) => {
      for (const fault of await listAllFaults(ana, parts, ALIKE)) found.push(`${where}: ${fault}`);
      for (const fault of await faintTexts(ana)) found.push(`${where}, dark: ${fault}`);
      await ana.page.emulateMedia({ colorScheme: "light" });
      for (const fault of await faintTexts(ana)) found.push(`${where}, light: ${fault}`);
      await ana.page.emulateMedia({ colorScheme: "dark" });
    });
    expect(found).toEqual([]);
    expect(ana.faults).toEqual([]);
  });

  test("TO9 TO2 TO27 on a phone axe finds nothing either, and a finger hits everything, what it selected too", async () => {
    const found: string[] = [];
    const look: Look = async (where, parts) => {
      const faults = [
        await listShapeFaults(ana, parts),
        await faintTexts(ana),
        await smallTargets(ana),
      ];
      for (const fault of faults.flat()) found.push(`${where}: ${fault}`);
      // A terminal's letters are made to fit behind its first lines.
      const wide = () => ana.page.evaluate(() => document.documentElement.scrollWidth);
      await expect.poll(wide, { ...poll, message: where }).toBe(PHONE.viewport.width);
      if (where === "another's terminal") await selecting(look);
    };
    await everyView({ ...SMALL_PHONE, colorScheme: "light" }, look);
    expect(found).toEqual([]);
  });

  async function selecting(look: Look): Promise<void> {
    await ana.page.locator(".host.touched").first().waitFor();
    const box = await ana.page.locator(".panel[data-active=true] .xterm-screen").boundingBox();
    const fingers = await Fingers.of(ana);
    await fingers.press({ x: (box?.x ?? 0) + 70, y: (box?.y ?? 0) + 60 });
    const bar = ana.page.getByRole("toolbar", { name: "Selection" });
    await bar.waitFor();
    await look("what a finger selected", [PANEL]);
  }

  test("TO10 a screen reader gets what is printed, and letters are typed once all the same", async () => {
    const context = { ...SMALL_PHONE, colorScheme: "dark" as const };
    ana = await Visitor.come(browser, room.link().replace(/#.*/, ""), context);
    await ana.page.evaluate(() => {
      localStorage.setItem("pairpty:settings", JSON.stringify({ reader: true }));
    });
    await ana.page.reload();
    await ana.page.goto(room.link());
    peer = await room.peer(1);
    peer.terminals({ ...TERMINAL, number: 1 });
    await peer.request("pty:attach");
    peer.attached({ snapshot: "read this aloud\r\n$ " });
    const rows = ana.page.locator(".xterm-accessibility-tree [role=listitem]");
    await rows.filter({ hasText: "read this aloud" }).waitFor();
    peer.driver(1);
    await ana.page.locator(".host.touched").waitFor();
    await ana.page.locator(".host").tap();
    await ana.press("x", "y", "Backspace");
    await ana.page.keyboard.insertText("word");
    await peer.request("pty:input", ({ data }) => data === "word");
    const typed = peer.requests.flatMap((one) => (one.type === "pty:input" ? [one.data] : []));
    expect(typed).toEqual(["x", "y", "\u007F", "word"]);
    expect(await listAllFaults(ana)).toEqual([]);
    await ana.page.emulateMedia({ colorScheme: "light" });
    expect(await faintTexts(ana)).toEqual([]);
    expect(ana.faults).toEqual([]);
  });
});

interface Host extends HTMLElement {
  terminal?: { options: { linkHandler: { activate(event: MouseEvent, uri: string): void } } };
}
