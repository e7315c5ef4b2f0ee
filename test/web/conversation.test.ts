// A conversation with an agent on the page, in a real browser: against a room that says what it is told,
// then against the real product with a real agent.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Conversation, Entry } from "../../protocol/conversation.ts";
import { approval } from "../support/approvals.ts";
import { Visitor, startBrowser } from "../support/browser.ts";
import { FakeConversation } from "../support/conversations.ts";
import type { FakePeer } from "../support/fake-room.ts";
import { FakeRoom, TERMINAL } from "../support/fake-room.ts";
import { listAllFaults, faintTexts } from "../support/faults.ts";
import { PageRun } from "../support/page.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const poll = { timeout: PATIENCE_MS };
const browser = await startBrowser();
const EVIL = `<img src=x onerror="globalThis.pwned=1">`;
const EMBEDDED = { ...TERMINAL, id: "pty-inside", owner: "agent", conversation: "c1" } as const;
const TALK = ".panel[data-active=true]";
const MAX_FIRST_LOAD = 150_000;

const message = (id: string, text: string): Entry => ({ id, at: 1, kind: "message", text });
const prompt = (id: string, text: string, by = "ana"): Entry => ({
  id,
  at: Date.now(),
  kind: "prompt",
  by,
  text,
});
const running = (id: string, part: object = {}): Entry => ({
  id,
  at: 1,
  kind: "tool",
  title: "npm test",
  tool: "execute",
  status: "in_progress",
  locations: [],
  content: [{ type: "terminal", terminal: EMBEDDED.id, ...part }],
});

describe.skipIf(!browser)("a conversation", () => {
  let room: FakeRoom;
  let ana: Visitor;
  let peer: FakePeer;
  let talk: FakeConversation;

  /** How many conversations there have been: each has an id of its own. */
  let count = 1;

  const leave = async (): Promise<void> => {
    await ana.leave();
    room.close();
  };

  const welcome = (role: "edit" | "view" = "edit"): void =>
    peer.welcome(role, [TERMINAL, EMBEDDED]);

  async function come(options: BrowserContextOptions = {}, role?: "view"): Promise<void> {
    room = await FakeRoom.open();
    ana = await Visitor.come(browser, room.link(), options);
    peer = await room.peer(1);
    welcome(role);
  }

  /** The page looks at a conversation with these entries. */
  async function arrive(part: Partial<Conversation>, entries: Entry[]): Promise<void> {
    peer.requests.length = 0;
    ana.faults.length = 0;
    count += 1;
    talk = new FakeConversation(peer, { id: `c${count}`, ...part });
    talk.entries.push(...entries);
    talk.list();
    await tab().click();
    await talk.opened();
    await log().waitFor();
  }

  /** Of this conversation nothing is left on the page. */
  async function dismiss(): Promise<void> {
    if ((await tab().count()) === 0) return;
    talk.change({ state: "ended", why: "So the test is." });
    await ana.page.getByText("This conversation has ended. So the test is.").waitFor();
    await ana.page.getByRole("button", { name: "Dismiss", exact: true }).click();
    await tab().waitFor({ state: "detached" });
  }

  const tab = () => ana.page.getByRole("tab", { name: /claude/ });
  const log = () => ana.page.getByRole("log", { name: /^Conversation with/ });
  const composer = () => ana.page.getByRole("textbox", { name: /^Message to/ });
  const says = async (text: string | RegExp): Promise<void> =>
    await log().getByText(text).first().waitFor();
  const scroll = (to: number): Promise<void> =>
    log().evaluate((box, top) => {
      box.scrollTop = top;
    }, to);
  const fromEnd = (): Promise<number> =>
    log().evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight));
  const requests = (type: string) => peer.requests.filter((one) => one.type === type);

  describe("at a desk, one after the other on one page", () => {
    beforeAll(() => come());
    afterEach(dismiss);
    afterAll(leave);

    test("AC71 AC72 AC80 all that an agent says and does is shown, and none of it is markup, dark or light", async () => {
      await ana.page.emulateMedia({ colorScheme: "dark" });
      await arrive(
        {
          state: "working",
          title: EVIL,
          cwd: `/w/${EVIL}`,
          agent: { grant: "g", label: `claude ${EVIL}` },
          commands: [{ name: EVIL, description: EVIL }],
          modes: { current: "a", available: [{ id: "a", name: EVIL, description: EVIL }] },
        },
        [
          prompt("1", `Why ${EVIL}?`),
          { id: "2", at: 1, kind: "thought", text: `First.\n\nDeep **thought** ${EVIL}` },
          {
            id: "3",
            at: 1,
            kind: "plan",
            steps: [
              { text: `Look ${EVIL}`, priority: "high", status: "completed" },
              { text: "Mend", priority: "low", status: "in_progress" },
            ],
          },
          {
            id: "4",
            at: 1,
            kind: "tool",
            title: `Edit ${EVIL}`,
            tool: "edit",
            status: "completed",
            locations: [{ path: `src/${EVIL}`, line: 7 }],
            content: [
              { type: "text", text: `[x](javascript:pwned=1) ${EVIL}` },
              { type: "diff", path: EVIL, oldText: "old\n", newText: `new ${EVIL}\n` },
            ],
            input: EVIL,
          },
          message(
            "5",
            `# Found ${EVIL}\n\n[docs](https://example.com/a) **bold**\n\n| a |\n|---|\n| ${EVIL} |\n\n\`\`\`js ${EVIL}\nlet x;\n\`\`\`\n\n<b>plain</b>`,
          ),
          { id: "6", at: 1, kind: "permission", approval: "ap-0", title: EVIL, outcome: "denied" },
          { id: "7", at: 1, kind: "turn", reason: "max_tokens" },
          { id: "8", at: 1, kind: "note", text: EVIL },
        ],
      );
      await says("Found");
      const text = await log().innerText();
      for (const part of [
        "are not shown and need no approval",
        "ana",
        "Plan 1 of 2",
        "src/",
        ":7",
        "+1",
        "docs (https://example.com/a)",
        "<b>plain</b>",
        "denied",
        "token limit",
      ])
        expect(text).toContain(part);
      expect(text).not.toContain("Deep");
      await log()
        .getByRole("button", { name: /^Thought/ })
        .click();
      await expect.poll(() => log().innerText(), poll).toContain(`Deep thought ${EVIL}`);
      expect(await log().locator(".d-added").innerText()).toBe(`+new ${EVIL}\n`);
      const link = log().getByRole("link");
      expect([await link.count(), await link.getAttribute("rel")]).toEqual([
        1,
        "noopener noreferrer nofollow",
      ]);
      const made = await ana.page.evaluate(() => [
        "pwned" in globalThis,
        document.querySelectorAll("img, script:not([src]), iframe, style").length,
        document.querySelectorAll("[onerror], [onload], [onclick]").length,
      ]);
      // xterm has style elements of its own.
      expect([made[0], made[2]]).toEqual([false, 0]);
      expect(await ana.page.locator("img").count()).toBe(0);
      expect(await listAllFaults(ana, [TALK])).toEqual([]);
      await ana.page.emulateMedia({ colorScheme: "light" });
      expect(await faintTexts(ana)).toEqual([]);
      expect(ana.faults).toEqual([]);
    });

    test("AC74 AC75 AC76 AC133 a prompt by keyboard: lines, a command, a refusal that keeps the text, then taken; Esc and the button cancel a turn", async () => {
      await arrive(
        {
          commands: [
            { name: "compact", description: "Shorten it", hint: "what to keep" },
            { name: "code", description: "Write code" },
          ],
          modes: {
            current: "ask",
            available: [
              { id: "ask", name: "Ask" },
              { id: "code", name: "Code" },
            ],
          },
        },
        [],
      );
      await says("No messages yet.");
      await ana.press("Alt+g");
      await composer().and(ana.page.locator(":focus")).waitFor();
      await ana.type("/co");
      const offers = ana.page.locator(".offers [role=option]");
      await expect.poll(() => offers.count(), poll).toBe(2);
      expect(await listAllFaults(ana, [".composer"])).toEqual([]);
      await ana.press("ArrowDown", "ArrowUp", "Tab");
      await expect
        .poll(async () => [await composer().inputValue(), await offers.count()], poll)
        .toEqual(["/compact ", 0]);
      await ana.page.getByText("what to keep").waitFor();
      await ana.type("all");
      await ana.press("Shift+Enter");
      await ana.type("of it");
      await ana.press("Enter");
      const text = "/compact all\nof it";
      expect(await peer.request("conversation:prompt")).toMatchObject({ id: talk.id, text });
      talk.refuse("The agent is working: cancel its turn, or wait for the end of it.");
      await ana.page.getByText("The agent is working: cancel its turn").waitFor();
      expect(await composer().inputValue()).toBe(text);
      await ana.press("Enter");
      await peer.until("sent again", () => requests("conversation:prompt").length === 2);
      talk.say(prompt("p", text, "ana"));
      await expect.poll(() => composer().inputValue(), poll).toBe("");
      await says("/compact all");
      const mode = ana.page.getByRole("combobox", { name: "Mode" });
      await mode.selectOption("code");
      expect(await peer.request("conversation:mode")).toMatchObject({ id: talk.id, mode: "code" });
      // It shows what the agent says.
      await expect.poll(() => mode.inputValue(), poll).toBe("ask");
      // Somebody writes in a language whose letters are composed.
      await composer().evaluate((area: HTMLTextAreaElement) => {
        area.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
        const enter = { key: "Enter", code: "Enter", bubbles: true, isComposing: true };
        area.dispatchEvent(new KeyboardEvent("keydown", enter));
      });
      expect(requests("conversation:prompt").length).toBe(2);
      await cancelling();
      expect(ana.faults).toEqual([]);
    });

    /** [AC76] By key or button, from anywhere in the conversation; the last one ends with its agent. */
    async function cancelling(): Promise<void> {
      await composer().focus();
      await ana.press("Escape");
      expect(requests("conversation:cancel")).toEqual([]);
      talk.change({ state: "working" });
      await ana.page.getByText("The agent is working").waitFor();
      await log().focus();
      await ana.press("Escape");
      await peer.request("conversation:cancel");
      await ana.page.getByText("Cancelling…").waitFor();
      talk.say({ id: "t", at: 1, kind: "turn", reason: "cancelled" });
      talk.change({ state: "idle" });
      await says(/^Cancelled/);
      talk.change({ state: "working" });
      await ana.page.getByRole("button", { name: "Cancel", exact: true }).click();
      await peer.until("both", () => requests("conversation:cancel").length === 2);
      talk.change({ state: "ended", why: "The agent exited with 1." });
      await ana.page.getByText("This conversation has ended. The agent exited with 1.").waitFor();
      expect(await composer().count()).toBe(0);
      await ana.page.getByRole("button", { name: "Dismiss", exact: true }).click();
      await expect.poll(() => ana.page.getByRole("tab").count(), poll).toBe(1);
    }

    test("AC127 AC131 AC133 a reload and a cut come back to the same conversation, with what was missed", async () => {
      await arrive({}, [message("a", "one ")]);
      await says("one");
      talk.text("a", "two");
      await says("one two");
      await composer().fill("half a sent");
      peer.cut();
      talk.put(message("b", "missed"));
      peer = await room.peer(2);
      welcome();
      talk = talk.at(peer);
      talk.list();
      await talk.opened();
      await says("missed");
      // One that is lost on the way: the page asks again.
      talk.put(message("c", "lost"));
      talk.say(message("d", "last"));
      await talk.opened(2);
      await says("lost");
      await expect
        .poll(() => log().locator("article").allInnerTexts(), poll)
        .toEqual(["one two", "missed", "lost", "last"]);
      await ana.page.reload();
      peer = await room.peer(3);
      welcome();
      talk = talk.at(peer);
      talk.list();
      await talk.opened();
      await says("last");
      expect(await composer().inputValue()).toBe("half a sent");
      expect(await ana.page.getByRole("tab", { selected: true }).innerText()).toContain("claude");
    });

    test("AC77 AC137 AC138 a question stands in its place, answers there, and is nowhere twice", async () => {
      const entries = Array.from({ length: 30 }, (_, at) => message(`m${at}`, `line ${at}`));
      await arrive({ state: "working" }, entries);
      await says("line 29");
      const card = ana.page.locator(".question");
      const placed = log().locator(".question");
      peer.say({ type: "approval:open", ids: ["ap-1"] });
      const other = approval({ kind: "permission", agent: { grant: "g9", label: "another" } });
      peer.say({ type: "approval:requested", approval: other });
      // Another agent's floats, as everywhere.
      await card.waitFor();
      expect(await placed.count()).toBe(0);
      peer.say({ type: "approval:requested", approval: approval({ kind: "permission" }) });
      // This one's stands at the end, also before, or without, an entry of its own.
      await placed.waitFor();
      const question = {
        id: "q",
        at: 1,
        kind: "permission",
        approval: "ap-1",
        title: "Reset",
      } as const;
      talk.say(question);
      await placed.waitFor();
      await expect.poll(async () => [await card.count(), await fromEnd()], poll).toEqual([1, 0]);
      // Out of sight: one button, and no card over what is read.
      await scroll(0);
      const pill = ana.page.getByRole("button", { name: "1 question" });
      await pill.waitFor();
      await pill.click();
      await expect.poll(() => pill.count(), poll).toBe(0);
      await ana.page.locator(".question:focus").waitFor();
      // In another tab it floats again.
      await ana.press("Alt+ArrowLeft");
      await expect.poll(() => placed.count(), poll).toBe(0);
      await expect.poll(() => card.count(), poll).toBe(1);
      await ana.press("Alt+g");
      await placed.waitFor();
      await placed.locator('.question-main button[aria-disabled="false"]').first().waitFor();
      await ana.press("Alt+y", "n");
      expect(await peer.request("approval:answer")).toMatchObject({ id: "ap-1", answer: "deny" });
      peer.say({ type: "approval:settled", id: "ap-1", outcome: "denied", answer: "deny" });
      talk.say({ ...question, outcome: "denied" });
      await expect.poll(() => card.count(), poll).toBe(0);
      await log().locator(".permission", { hasText: "denied" }).waitFor();
      await composer().and(ana.page.locator(":focus")).waitFor();
    });

    test("AC78 AC139 AC140 AC141 a terminal in a tool call: live in sight, let go of out of sight, a tab, its end, its text", async () => {
      const before = Array.from({ length: 40 }, (_, at) => message(`m${at}`, `line ${at}`));
      await arrive({ id: EMBEDDED.conversation, state: "working" }, [...before, running("t")]);
      const host = log().locator(".embed-host");
      const of = (type: string) =>
        peer.requests.filter((one) => one.type === type && "id" in one && one.id === EMBEDDED.id);
      const attached = (channel: number, offset: number): void =>
        peer.attached({ id: EMBEDDED.id, channel, offset, next: offset, snapshot: "✓ one\r\n" });
      const shown = () =>
        host.evaluate((element: HTMLElement & { terminal?: Shown }) => {
          const buffer = element.terminal?.buffer.active;
          return Array.from({ length: 4 }, (_, at) => buffer?.getLine(at)?.translateToString(true));
        });
      await peer.until("attached", () => of("pty:attach").length === 1);
      attached(7, 7);
      await expect.poll(shown, poll).toEqual(["✓ one", "", "", ""]);
      const small = await host.evaluate((element) => element.clientHeight);
      peer.bytes(7, "two\r\nthree\r\n", 7);
      await expect.poll(shown, poll).toEqual(["✓ one", "two", "three", ""]);
      // As high as what it has.
      await expect
        .poll(() => host.evaluate((element) => element.clientHeight), poll)
        .toBeGreaterThan(small);
      expect(await host.evaluate((element) => element.clientHeight)).toBeLessThan(120);
      expect(await ana.page.getByRole("tab").count()).toBe(2);
      await scroll(0);
      await peer.until("let go of", () => of("pty:detach").length === 1);
      await ana.page.getByRole("button", { name: /Jump to the end/ }).click();
      await peer.until("attached again", () => of("pty:attach").length === 2);
      attached(8, 20);
      await expect.poll(shown, poll).toEqual(["✓ one", "", "", ""]);
      // A tab of its own: then it is there, and not here.
      await log().getByRole("button", { name: "Open as a tab" }).click();
      await peer.until("attached by its tab", () => of("pty:attach").length === 3);
      attached(9, 20);
      await ana.shows("✓ one");
      expect(await ana.page.getByRole("tab").count()).toBe(3);
      await ana.press("Alt+w");
      await expect.poll(() => ana.page.getByRole("tab").count(), poll).toBe(2);
      expect([of("pty:close"), of("pty:view").length > 0]).toEqual([[], true]);
      await ana.press("Alt+g");
      await peer.until("back in its place", () => of("pty:attach").length === 4);
      attached(10, 20);
      const exit = { exitCode: 1, signal: null };
      peer.event(20, { type: "pty:exit", id: EMBEDDED.id, ...exit }, 10);
      peer.say({ type: "terminal", event: "closed", terminal: EMBEDDED, exit });
      await says("exited with 1");
      let answered = 4;
      const again = async () => {
        // A page that scrolls while it comes back may let go of it and ask once more.
        while (of("pty:attach").length > answered) attached(7 + answered++, 20);
        return (await shown())[0];
      };
      await expect.poll(again, poll).toBe("✓ one");
      talk.say(running("t", { text: "\u001B[32m✓ kept\u001B[0m\r\n", exit: "exited with 1" }));
      await expect.poll(() => log().locator(".embed-text").innerText(), poll).toBe("✓ kept\n");
      expect(ana.faults).toEqual([]);
    });

    test("AC79 AC142 who is at the end stays there; who reads above is not moved, and sees what is new", async () => {
      const entries = Array.from({ length: 300 }, (_, at) =>
        message(`m${at}`, `line ${at}\n\nmore`),
      );
      await arrive({}, entries);
      await says("line 299");
      await expect.poll(fromEnd, poll).toBe(0);
      expect(await log().locator("article").count()).toBe(120);
      talk.say(message("n1", "new\n\n".repeat(20)));
      await says("new");
      await expect.poll(fromEnd, poll).toBe(0);
      talk.text("n1", "and more\n\n".repeat(20));
      await says("and more");
      await expect.poll(fromEnd, poll).toBe(0);
      await scroll(500);
      await ana.page.getByRole("button", { name: /Jump to the end/ }).waitFor();
      // By what is seen: a browser moves the numbers when it learns how high something above is.
      const read = log().locator("article", { hasText: "line 190" });
      const top = () => read.evaluate((element) => Math.round(element.getBoundingClientRect().top));
      await read.scrollIntoViewIfNeeded();
      await ana.page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      const before = await top();
      talk.say(message("n2", "far below"), message("n3", "farther below"));
      const button = ana.page.getByRole("button", { name: "2 new" });
      await button.waitFor();
      expect(await top()).toBe(before);
      await button.click();
      await expect.poll(fromEnd, poll).toBe(0);
      await scroll(0);
      // What is read stays where it is when earlier ones come above it.
      const first = log().locator("article").first();
      const name = (await first.textContent()) ?? "";
      const place = () =>
        log()
          .locator("article", { hasText: name })
          .first()
          .evaluate((element) => element.getBoundingClientRect().top);
      const stood = await place();
      await log().getByRole("button", { name: "Show 120 earlier of 183" }).click();
      await expect.poll(() => log().locator("article").count(), poll).toBe(240);
      await expect.poll(async () => Math.abs((await place()) - stood) < 40, poll).toBe(true);
    });
  });

  describe("on a page of its own", () => {
    afterEach(leave);

    test("AC80 AC134 a View link on a phone reads all and can send nothing", async () => {
      const viewport = { width: 390, height: 844 };
      const steps = [{ text: "Look", priority: "low", status: "pending" }] as const;
      await come({ viewport, hasTouch: true, isMobile: true }, "view");
      await arrive({ state: "working" }, [
        prompt("p", "x ".repeat(200)),
        { id: "l", at: 1, kind: "plan", steps: [...steps] },
        running("t", { text: "y".repeat(300) }),
        message("m", `${"w".repeat(300)}\n\n|a|b|c|\n|-|-|-|\n|${"long ".repeat(40)}|2|3|`),
      ]);
      await says("Look");
      expect(await ana.page.getByRole("textbox").count()).toBe(0);
      await ana.page.getByText("Read-only: this link cannot talk to agents.").waitFor();
      expect(await ana.page.getByRole("button", { name: "Cancel", exact: true }).count()).toBe(0);
      await log().focus();
      await ana.press("Escape");
      const types = peer.requests.map(({ type }) => type);
      expect(types.filter((type) => type.startsWith("conversation:"))).toEqual([
        "conversation:open",
      ]);
      // Nothing is wider than the screen.
      expect(await log().evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
      expect(await ana.page.evaluate(() => document.documentElement.scrollWidth)).toBe(
        viewport.width,
      );
    });

    test("AC82 AC144 FR1 FR10 what draws conversations is loaded with the first of them, and the page stays small", async () => {
      const loaded: { url: string; bytes: number }[] = [];
      const reading: Promise<void>[] = [];
      room = await FakeRoom.open();
      ana = await Visitor.come(browser, "about:blank");
      const { page } = ana;
      page.on("response", (response) => {
        const note = async (): Promise<void> => {
          const body = await response.body();
          loaded.push({ url: response.url(), bytes: gzipSync(body).length });
        };
        reading.push(note());
      });
      await page.goto(room.link());
      peer = await room.peer(1);
      welcome();
      await peer.request("pty:attach");
      const of = (name: RegExp) => loaded.filter(({ url }) => name.test(url));
      await expect.poll(() => of(/xterm.*\.js/).length, poll).toBe(1);
      expect(of(/pane-|rest-/)).toEqual([]);
      // A file counts once its body is read.
      await Promise.all(reading);
      const total = loaded.reduce((sum, { bytes }) => sum + bytes, 0);
      expect(total).toBeLessThan(MAX_FIRST_LOAD);
      new FakeConversation(peer).list();
      await page.getByRole("tab", { name: /claude/ }).click();
      await expect.poll(() => of(/pane-.*\.js/).length, poll).toBe(1);
      peer.attached({ snapshot: "$ " });
      await expect.poll(() => of(/rest-.*\.js/).length, poll).toBe(1);
      // A page that is left cannot be read any more.
      page.removeAllListeners("response");
      await Promise.all(reading);
    });
  });
});

describe.skipIf(!browser)("a conversation with a real agent", () => {
  const run = new PageRun(browser);
  /** Goes on in the second test where the first ended. */
  let ana: Visitor;
  let agent: ChildProcess;

  beforeAll(async () => {
    const made = await run.place.run(["share", "--role", "agent", "--label", "tester", "--json"]);
    const { token } = JSON.parse(made.stdout);
    const { relay, workspace } = run.product.ready;
    const url = `${relay.replace(/^http/, "ws")}/w/${workspace}/acp`;
    const program = join(import.meta.dirname, "../support/page-agent.mjs");
    agent = spawn(process.execPath, [program, url, token], { stdio: "ignore" });
    ana = await enter(run.product.ready.links.edit);
  });
  afterAll(async () => {
    agent.kill();
    await ana.leave();
  });

  const log = (visitor: Visitor) => visitor.page.getByRole("log", { name: /^Conversation with/ });
  const enter = async (link: string): Promise<Visitor> => {
    const visitor = await Visitor.come(browser, link);
    await visitor.page.getByRole("tab", { name: /tester/ }).click();
    await log(visitor).waitFor();
    return visitor;
  };
  const allow = (visitor: Visitor) =>
    log(visitor).locator('.question-main button[aria-disabled="false"]', { hasText: "Allow" });
  const output = (visitor: Visitor) =>
    log(visitor)
      .locator(".embed-host")
      .evaluate((element: HTMLElement & { terminal?: Shown }) => {
        const buffer = element.terminal?.buffer.active;
        const lines = Array.from({ length: 5 }, (_, at) => buffer?.getLine(at));
        return lines.map((line) => line?.translateToString(true) ?? "").filter(Boolean);
      });

  test("AC71 AC73 AC132 AC77 AC78 AC140 a turn with commands, live for both, and readable after the release and a reload", async () => {
    const vic = await enter(run.product.ready.links.view);
    await ana.page.getByRole("textbox", { name: "Message to tester" }).fill("work");
    await ana.press("Enter");
    // Its commands are asked about in the conversation, one after the other.
    for (const line of ["mkfifo", "printf"]) {
      await log(ana).locator(".question", { hasText: line }).waitFor();
      await allow(ana).click();
    }
    const gate = join(run.place.folder, "gate");
    for (const visitor of [ana, vic])
      await expect.poll(() => output(visitor), poll).toEqual(["line 1"]);
    // Lines come while it runs.
    appendFileSync(gate, "\n");
    for (const visitor of [ana, vic])
      await expect.poll(() => output(visitor), poll).toEqual(["line 1", "line 2"]);
    appendFileSync(gate, "\n");
    await expect.poll(async () => (await output(ana)).length, poll).toBe(3);
    appendFileSync(gate, "\n");
    const all = ["line 1", "line 2", "line 3", "red"];
    for (const visitor of [ana, vic]) {
      await log(visitor).getByText("It is done. <img").waitFor();
      await log(visitor).getByText("Done ·").waitFor();
      await expect.poll(() => output(visitor), poll).toEqual(all);
      const text = await log(visitor).innerText();
      for (const part of ["Plan 2 of 2", "failed", "exit 3", "/work/a.txt:2", "+c"])
        expect(text).toContain(part);
      // Nobody's tabs have the terminal.
      expect(await visitor.page.getByRole("tab").count()).toBe(1);
    }
    await ana.page.reload();
    await log(ana).getByText("Done ·").waitFor();
    await expect.poll(() => output(ana), poll).toEqual(all);
    expect([...ana.faults, ...vic.faults]).toEqual([]);
    await vic.leave();
  });

  test("AC74 AC76 AC77 AC133 AC136 AC138 a question in its place, a prompt too early, a mode, and the end of a turn", async () => {
    const box = ana.page.getByRole("textbox", { name: "Message to tester" });
    await box.fill("ask");
    await ana.press("Enter");
    await allow(ana).waitFor();
    expect(await ana.page.locator(".question").count()).toBe(1);
    await ana.press("Alt+y", "y");
    await log(ana).getByText("Answer: yes").waitFor();
    await log(ana).locator(".permission", { hasText: "allowed" }).waitFor();
    await box.fill("wait");
    await ana.press("Enter");
    await ana.page.getByText("The agent is working").waitFor();
    await expect.poll(() => box.inputValue(), poll).toBe("");
    await box.fill("too early");
    await ana.press("Enter");
    await ana.page.locator('.composer [data-tone="bad"]').waitFor();
    expect(await box.inputValue()).toBe("too early");
    await ana.press("Escape");
    await log(ana).getByText("Cancelled ·").waitFor();
    await ana.press("Enter");
    await log(ana).getByText("You said: too early").waitFor();
    const mode = ana.page.getByRole("combobox", { name: "Mode" });
    await mode.selectOption("code");
    await expect.poll(() => mode.inputValue(), poll).toBe("code");
    await ana.press("Alt+b");
    await expect.poll(() => ana.page.getByRole("tab").count(), poll).toBe(2);
    await ana.page.locator(".panel[data-active=true]").getByText("No messages yet").waitFor();
    expect(ana.faults).toEqual([]);
  });
});

/** What the page leaves on its element for us, as far as we use it. */
interface Shown {
  buffer: {
    active: { getLine(at: number): { translateToString(trim: boolean): string } | undefined };
  };
}
