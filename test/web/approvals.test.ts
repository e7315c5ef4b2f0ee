// Agents' questions on the page, in a real browser: against a room that says what it is told, then
// against the real product with a real MCP client.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Approval } from "../../protocol/approval.ts";
import { approval } from "../support/approvals.ts";
import { Visitor, startBrowser } from "../support/browser.ts";
import type { FakePeer } from "../support/fake-room.ts";
import { FakeRoom, TERMINAL } from "../support/fake-room.ts";
import { faintTexts, listShapeFaults } from "../support/faults.ts";
import { PageRun } from "../support/page.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const poll = { timeout: PATIENCE_MS };
const browser = await startBrowser();
const EVIL = `<img src=x onerror="globalThis.pwned=1">`;

describe.skipIf(!browser)("an agent's question", () => {
  let room: FakeRoom;
  let ana: Visitor;
  let peer: FakePeer;

  /** A page with a terminal that she types into. */
  async function arrive(options: BrowserContextOptions = {}): Promise<void> {
    room = await FakeRoom.open();
    ana = await Visitor.come(browser, room.link(), options);
    peer = await room.peer(1);
    peer.terminals(TERMINAL);
    await peer.request("pty:attach");
    peer.attached({ snapshot: "$ " });
    peer.driver(1);
    await ana.shows("$");
  }
  const leave = async (): Promise<void> => {
    await ana.leave();
    room.close();
  };

  const ask = (...all: Approval[]): void => {
    peer.say({ type: "approval:open", ids: all.map(({ id }) => id) });
    for (const one of all) peer.say({ type: "approval:requested", approval: one });
  };
  const card = () => ana.page.locator(".question");
  const button = (name: string) => card().getByRole("button", { name, exact: true });
  const answers = () =>
    peer.requests.flatMap((one) => (one.type === "approval:answer" ? [one] : []));
  /** For long enough in front that its answers count. */
  const ready = () =>
    card().locator('.question-main button[aria-disabled="false"]').first().waitFor();
  const focused = () => ana.page.evaluate(() => document.activeElement?.className ?? "");

  describe("at a desk, one after the other on one page", () => {
    beforeAll(() => arrive());
    afterAll(leave);
    beforeEach(async () => {
      peer.requests.length = 0;
      ask();
      await card().waitFor({ state: "detached" });
      await ana.page.locator(".host").click();
    });

    test("W25 W9 W111 W114 the card says who wants what, where, why and with which rights, dark or light", async () => {
      const before = await ana.size();
      const command = `git reset --hard "$X" > 'a b' \u001B[2K\u202E # ${EVIL}`;
      const toolArguments: Partial<Approval> = {
        command,
        agent: { grant: "g", label: `agent ${EVIL}` },
        cwd: `/work/${EVIL}`,
        why: ["pattern: git reset", EVIL],
        offers: ["once", "session", "prefix", "deny"],
        rule: "git reset …",
        expiresAt: Date.now() + 600_000,
      };
      ask(approval(toolArguments), approval({ id: "ap-2", askedAt: 2 }));
      await ready();
      const text = await card().innerText();
      for (const part of [
        "1 of 2",
        "‹ESC›[2K‹U+202E›",
        "Potentially destructive",
        "contains git reset",
        `/work/${EVIL}`,
        "with all their rights",
        "left",
        "Always for this agent’s session",
        "Allow git reset …",
      ])
        expect(text).toContain(part);
      const kinds = await card()
        .locator("pre > *")
        .evaluateAll((pieces) =>
          pieces.map((piece) => `${piece.tagName} ${piece.className} ${piece.textContent}`),
        );
      expect(kinds.slice(0, 3)).toEqual([
        "MARK t-program git",
        "MARK t-verb reset",
        "SPAN t-option --hard",
      ]);
      expect(await ana.page.evaluate(() => "pwned" in globalThis)).toBe(false);
      expect(await ana.page.locator("img").count()).toBe(0);
      // It lies over the terminal, which stays as it was and has the focus.
      expect(await ana.size()).toEqual(before);
      expect(await focused()).toContain("xterm");
      expect(ana.faults).toEqual([]);
    });

    test("Q104 the card shows the gravest reason and its notes; a button shows the other reasons", async () => {
      const notes = ["its input: y"];
      const why = ["`git reset --hard` discards uncommitted changes", "second", "third", ...notes];
      ask(approval({ why, notes }));
      await ready();
      const reasons = card().locator(".question-risk li");
      expect(await reasons.allInnerTexts()).toEqual([
        "git reset --hard discards uncommitted changes",
        ...notes,
      ]);
      expect(await reasons.locator("code").allInnerTexts()).toEqual(["git reset --hard"]);
      const more = card().getByRole("button", { name: "2 more reasons" });
      await more.click();
      expect(await reasons.count()).toBe(4);
      // The terminal keeps the focus.
      expect(await focused()).toContain("xterm");
      await card().getByRole("button", { name: "Show fewer reasons", expanded: true }).click();
      expect(await reasons.count()).toBe(2);
    });

    test("W112 W113 a file's changes are shown line by line, and what is long is scrolled by key", async () => {
      const lines = Array.from({ length: 80 }, (_, n) => `+line ${n} ${EVIL}\n`).join("");
      const diff = `--- a/x\n+++ b/x\n@@ -1 +1,80 @@\n-old\n${lines}`;
      ask(approval({ kind: "write", command: "/work/x", diff, verdict: "unknown", why: [] }));
      const changes = card().getByRole("group", { name: "The changes" });
      await changes.waitFor();
      expect(await changes.innerText()).toBe(diff);
      expect(await changes.locator(".d-removed").innerText()).toBe("-old\n");
      expect(await card().innerText()).toContain("There is more: scroll to read all of it.");
      await changes.focus();
      await ana.press("End");
      await expect.poll(() => changes.evaluate((box) => box.scrollTop), poll).toBeGreaterThan(100);
      await ready();
      // Of a card without changes axe sees the colours too (TO9).
      expect(await listShapeFaults(ana, [".question"])).toEqual([]);
      expect(await faintTexts(ana)).toEqual([]);
    });

    test("W26 W115 W116 who types into a shell answers nothing; Alt+Y and a letter do, and the cursor goes back", async () => {
      await ana.page.locator(".host").click();
      ask(approval());
      await ready();
      await ana.type("yn");
      await peer.until(
        "her letters",
        () => peer.requests.filter(({ type }) => type === "pty:input").length === 2,
      );
      expect(answers()).toEqual([]);
      await ana.press("Alt+y");
      await expect.poll(focused, poll).toBe("question");
      // Not offered.
      await ana.press("a", "p");
      expect(answers()).toEqual([]);
      await ana.press("Escape");
      await expect.poll(focused, poll).toContain("xterm");
      await ana.press("Alt+y");
      await expect.poll(focused, poll).toBe("question");
      await ana.press("y");
      await peer.request("approval:answer");
      // Twice is once.
      await ana.press("y", "n");
      peer.say({ type: "approval:settled", id: "ap-1", outcome: "allowed", answer: "once" });
      await ana.page.getByText("Allowed: git reset --hard").waitFor();
      await expect.poll(() => card().count(), poll).toBe(0);
      expect(answers()).toEqual([{ type: "approval:answer", id: "ap-1", answer: "once" }]);
      await expect.poll(focused, poll).toContain("xterm");
      await ana.press("Alt+y");
      await ana.page.getByText("No agent is waiting for an answer.").waitFor();
      expect(ana.faults).toEqual([]);
    });

    test("W117 what has just come to the front cannot be answered for half a second", async () => {
      ask(approval(), approval({ id: "ap-2", askedAt: 2, command: "rm -rf /" }));
      await ready();
      await button("Allow once").click();
      await peer.request("approval:answer");
      // Somebody else was quicker: the next one stands under the pointer, and a double click hits it.
      await ana.page.evaluate(() => {
        const click = (): void => {
          if (!document.querySelector(".question")?.textContent?.includes("rm -rf")) return;
          observer.disconnect();
          for (const one of document.querySelectorAll<HTMLElement>(".question-main button"))
            one.click();
          document.body.dataset["clicked"] = "yes";
        };
        const observer = new MutationObserver(click);
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
      });
      peer.say({ type: "approval:settled", id: "ap-1", outcome: "denied", answer: "deny" });
      await ana.page.locator('body[data-clicked="yes"]').waitFor();
      await ready();
      expect(answers().map(({ id }) => id)).toEqual(["ap-1"]);
      await button("Deny").click();
      const { id, answer } = await peer.request("approval:answer", (one) => one.id === "ap-2");
      expect([id, answer]).toEqual(["ap-2", "deny"]);
    });

    test("W26 a denial with a reason: letters in it are letters", async () => {
      ask(approval({ offers: ["once", "session", "prefix", "deny"], rule: "git …" }));
      await ready();
      const reason = ana.page.locator(":focus").and(ana.page.getByLabel("Reason, for the agent"));
      await ana.press("Alt+y", "r");
      await reason.waitFor();
      await ana.type("yap no");
      expect(answers()).toEqual([]);
      await ana.press("Escape");
      await expect.poll(focused, poll).toBe("question");
      await ana.press("r");
      await reason.waitFor();
      await ana.type("use stash");
      await ana.press("Enter");
      expect(await peer.request("approval:answer")).toEqual({
        type: "approval:answer",
        id: "ap-1",
        answer: "deny",
        reason: "use stash",
      });
    });

    test("W28 W120 the title counts; a page out of sight notifies, if its person wished that", async () => {
      await ana.page.evaluate(() => {
        const log: string[] = [];
        class Stub extends EventTarget {
          static permission = "default";
          static async requestPermission(): Promise<string> {
            Stub.permission = "granted";
            return await Promise.resolve("granted");
          }
          constructor(_title: string, { body }: { body: string }) {
            super();
            log.push(body);
            Object.assign(globalThis, { last: this });
          }
          close(): void {
            log.push("closed");
          }
        }
        Object.assign(globalThis, { Notification: Stub, log });
      });
      const log = () => ana.page.evaluate(() => Reflect.get(globalThis, "log"));
      ask(approval());
      await ready();
      await expect.poll(() => ana.page.title(), poll).toMatch(/^\(1\) project/);
      await card().getByRole("button", { name: "Notify me when I’m away" }).click();
      await expect.poll(() => card().getByText("Notify me").count(), poll).toBe(0);
      peer.say({ type: "approval:requested", approval: approval({ id: "ap-2", askedAt: 2 }) });
      await card().getByText("1 of 2").waitFor();
      expect(await log()).toEqual([]);
      await ana.hide(true);
      const third = approval({ id: "ap-3", askedAt: 3, command: ["make", "all of it"] });
      peer.say({ type: "approval:requested", approval: third });
      await expect
        .poll(log, poll)
        .toEqual(["claude-code wants to run a command: make 'all of it'"]);
      await expect.poll(() => ana.page.title(), poll).toMatch(/^\(3\) /);
      await ana.hide(false);
      await ana.page.evaluate(() =>
        Reflect.get(globalThis, "last").dispatchEvent(new Event("click")),
      );
      await card().getByText("3 of 3").waitFor();
      for (const id of ["ap-1", "ap-2", "ap-3"])
        peer.say({ type: "approval:settled", id, outcome: "expired" });
      await expect.poll(() => ana.page.title(), poll).toMatch(/^project/);
    });

    test("W27 Q61 Q62 the host goes, comes back and asks less; others answer; the page follows", async () => {
      ask(approval(), approval({ id: "ap-2", askedAt: 2 }), approval({ id: "ap-3", askedAt: 3 }));
      await ready();
      peer.say({ type: "bridge", state: "away" });
      await card().getByText("The host is offline: you can answer when it is back.").waitFor();
      await button("Allow once").click({ force: true });
      peer.say({ type: "bridge", state: "here" });
      peer.terminals(TERMINAL);
      ask(approval({ id: "ap-2", askedAt: 2 }), approval({ id: "ap-3", askedAt: 3 }));
      await card().getByText("1 of 2").waitFor();
      const by = { label: "ben", door: "people" };
      peer.say({ type: "approval:settled", id: "ap-2", outcome: "denied", by, answer: "deny" });
      await ana.page.getByText("ben denied: git reset --hard").waitFor();
      await ready();
      await button("Allow once").click();
      const error = "This approval is not open any more.";
      peer.say({ type: "approval:error", id: "ap-3", code: "not_found", error });
      await ana.page.getByText(error).waitFor();
      peer.cut();
      const again = await room.peer(2);
      again.terminals(TERMINAL);
      again.say({ type: "approval:open", ids: [] });
      await expect.poll(() => card().count(), poll).toBe(0);
      expect(answers().map(({ id }) => id)).toEqual(["ap-3"]);
      expect(ana.faults.filter((fault) => !fault.includes("WebSocket"))).toEqual([]);
    });
  });

  describe("on a page of its own", () => {
    afterEach(leave);

    test("W118 a View link sees no question, whatever it is told", async () => {
      room = await FakeRoom.open();
      ana = await Visitor.come(browser, room.link("127.0.0.1", "/approve/ap-1"));
      peer = await room.peer(1);
      peer.welcome("view", [TERMINAL]);
      ask(approval());
      await ana.page.getByText("Read-only: this link cannot answer agents’ questions.").waitFor();
      expect(await card().count()).toBe(0);
      expect(await ana.page.title()).not.toContain("(1)");
      expect(new URL(ana.page.url()).pathname).toBe("/w/fake");
    });

    test("W29 a question's own address shows it first, and then is the workspace's", async () => {
      room = await FakeRoom.open();
      ana = await Visitor.come(
        browser,
        room.link("127.0.0.1", "/approve/ap-2").split("#")[0] ?? "",
      );
      await ana.page.getByRole("heading", { name: "You need an invite link" }).waitFor();
      await ana.page.getByLabel("Invite link or token").fill(room.link());
      await ana.press("Enter");
      peer = await room.peer(1);
      peer.terminals(TERMINAL);
      ask(approval(), approval({ id: "ap-2", askedAt: 2, command: "make wanted" }));
      await card().getByText("2 of 2").waitFor();
      expect(await card().innerText()).toContain("make wanted");
      await expect.poll(() => new URL(ana.page.url()).pathname, poll).toBe("/w/fake");
    });

    test("W16 on a phone on its side the reasons are in sight beside the answers", async () => {
      const reasons = ["rm -rf deletes a folder and all in it", "curl sends data to example.com"];
      const toolArguments: Partial<Approval> = {
        verdict: "dangerous",
        rule: "npm run …",
        command: `rm -rf ./build && curl -d @report.json https://example.com/upload${" && make all".repeat(60)}`,
        why: reasons,
        offers: ["once", "session", "prefix", "deny"],
      };
      for (const [width, height] of [
        [844, 390],
        [667, 375],
        [568, 320],
      ] as const) {
        await arrive({ viewport: { width, height }, hasTouch: true, isMobile: true });
        ask(approval(toolArguments), approval({ id: "ap-2", askedAt: 2 }));
        await ready();
        const [body, allow] = await Promise.all(
          [card().locator(".question-body"), button("Allow once")].map((one) =>
            one.evaluate((element) => element.getBoundingClientRect().toJSON()),
          ),
        );
        for (const reason of [reasons[0] ?? "", "1 more reason"]) {
          const box = await card()
            .getByText(reason)
            .evaluate((element) => element.getBoundingClientRect().toJSON());
          expect(box.bottom, `${reason} at ${width}`).toBeLessThanOrEqual(
            Math.min(body.bottom, height),
          );
          expect(box.top).toBeGreaterThanOrEqual(Math.max(body.top, 0));
        }
        expect([allow.bottom <= height, allow.height >= 40]).toEqual([true, true]);
        expect(ana.faults).toEqual([]);
        if (width !== 568) {
          await ana.leave();
          room.close();
        }
      }
    });

    test("W30 W122 on a phone the card is a dock that a thumb answers, and can be folded away", async () => {
      const height = 844;
      await arrive({ viewport: { width: 390, height }, hasTouch: true, isMobile: true });
      const toolArguments: Partial<Approval> = {
        verdict: "unknown",
        rule: "npm run …",
        why: ["`npm run --watch` isn't on the safe list"],
        offers: ["once", "session", "prefix", "deny"],
      };
      ask(approval(toolArguments), approval({ id: "ap-2", askedAt: 2 }));
      await ready();
      const boxes = await card()
        .locator("button:visible")
        .evaluateAll((all) =>
          all.map((one) => ({ text: one.textContent, box: one.getBoundingClientRect().toJSON() })),
        );
      expect(boxes.length).toBe(8);
      for (const { text, box } of boxes) {
        expect(Math.min(box.width, box.height), text ?? "").toBeGreaterThanOrEqual(40);
        expect(box.left >= 0 && box.right <= 390 && box.bottom <= height, text ?? "").toBe(true);
      }
      // The answers are in the lower half.
      expect(Math.min(...boxes.slice(-5).map(({ box }) => box.top))).toBeGreaterThan(height / 2);
      await button("Not now").tap();
      await expect.poll(() => card().count(), poll).toBe(0);
      await ana.page.getByRole("button", { name: "2 questions" }).tap();
      await ready();
      await button("Allow npm run …").tap();
      expect(await peer.request("approval:answer")).toMatchObject({ id: "ap-1", answer: "prefix" });
      // A tap brings up no keyboard.
      expect(await focused()).not.toContain("xterm");
      expect(ana.faults).toEqual([]);
    });
  });
});

describe.skipIf(!browser)("a real agent's question", () => {
  const run = new PageRun(browser);
  let ana: Visitor;
  let agent: Client;
  let links: { ana: string; ben: string };

  beforeAll(async () => {
    // Before an agent has run anything: from then on a link needs the host's code.
    links = { ana: await link("ana"), ben: await link("ben") };
    const made = await run.place.run(["share", "--role", "agent", "--label", "robot", "--json"]);
    const { token } = JSON.parse(made.stdout);
    agent = new Client({ name: "robot", version: "1" });
    await agent.connect(
      new StreamableHTTPClientTransport(new URL(run.product.ready.endpoints.mcp), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    ana = await Visitor.come(browser, links.ana);
    await ana.status("Live");
  });
  afterAll(async () => {
    await ana.leave();
    await agent.close();
  });

  /** A link of one's own, so that the others see who it is. */
  async function link(label: string): Promise<string> {
    const made = await run.place.run(["share", "--role", "edit", "--label", label]);
    return /https?:\/\/\S+/.exec(made.stdout)?.[0] ?? made.stderr;
  }

  async function spawn(...command: string[]) {
    const call = { name: "spawn_background_terminal", arguments: { cwd: ".", command } };
    const { isError = false, content } = await agent.callTool(call);
    return { isError, text: JSON.stringify(content) };
  }

  const clickAt = async (visitor: Visitor, name: string, at: number): Promise<void> =>
    await main(visitor, name).evaluate(
      (button: HTMLElement, time) =>
        new Promise<void>((resolve) => {
          setTimeout(() => resolve(button.click()), time - Date.now());
        }),
      at,
    );
  const main = (visitor: Visitor, name: string) =>
    visitor.page.locator('.question-main button[aria-disabled="false"]', { hasText: name });

  test("Q63 allow and deny at once from two browsers: one outcome, on both pages and for the agent", async () => {
    const ben = await run.visit(links.ben);
    const vic = await run.visit(run.product.ready.links.view);
    for (const visitor of [ana, ben, vic]) await visitor.status("Live");
    const called = spawn("git", "reset", "--hard");
    await Promise.all([main(ana, "Allow once").waitFor(), main(ben, "Deny").waitFor()]);
    expect(await ben.page.locator(".question").innerText()).toContain(
      "robot wants to run a command",
    );
    expect(await vic.page.locator(".question").count()).toBe(0);
    // By one clock: a click that Playwright makes comes too late for the second of them.
    const at = Date.now() + 300;
    await Promise.all([clickAt(ana, "Allow once", at), clickAt(ben, "Deny", at)]);
    const { isError, text } = await called;
    const [won, lost] = isError ? [ben, ana] : [ana, ben];
    await won.page.getByText(`${isError ? "Denied" : "Allowed"}: git reset --hard`).waitFor();
    const other = isError ? "ben denied" : "ana allowed";
    await lost.page.getByText(`${other}: git reset --hard`).waitFor();
    for (const { page } of [ana, ben]) {
      await expect.poll(() => page.locator(".question").count(), poll).toBe(0);
      expect(await page.locator(".toast", { hasText: "git reset --hard" }).count()).toBe(1);
    }
    expect(text.includes("A person denied this")).toBe(isError);
    expect([...ana.faults, ...ben.faults, ...vic.faults]).toEqual([]);
  });

  test("W29 Q63 a reason reaches the agent, from the question's own address", async () => {
    const called = spawn("git", "clean", "-fdx");
    await main(ana, "Deny").waitFor();
    const { relay, workspace, tokens } = run.product.ready;
    const questionId = await ana.page.locator(".question").getAttribute("data-id");
    const ben = await run.visit(`${relay}/w/${workspace}/approve/${questionId}#${tokens.edit}`);
    await main(ben, "Deny").waitFor();
    expect(ben.page.url()).toBe(`${relay}/w/${workspace}`);
    await ben.press("Alt+y", "r");
    await ben.page.locator(":focus").and(ben.page.getByLabel("Reason, for the agent")).waitFor();
    await ben.type("keep what is not committed");
    await ben.press("Enter");
    expect(await called).toEqual({
      isError: true,
      text: expect.stringContaining("A person denied this: keep what is not committed"),
    });
    await ana.page.getByText("(“keep what is not committed”)").waitFor();
    // In the timeline it is the agent's question, and somebody's answer: ben came by the unlabelled link.
    await ana.press("Alt+Shift+A");
    const deeds = ana.page.getByRole("log", { name: "Timeline" }).getByRole("listitem");
    const denied = deeds.filter({ hasText: "denied by edit link" });
    await expect.poll(() => denied.innerText(), poll).toMatch(/robot.*git clean -fdx/s);
    expect([...ana.faults, ...ben.faults]).toEqual([]);
  });
});
