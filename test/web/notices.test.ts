// What the page says by itself, against a room that says what it is told: toasts that replace each
// other or stay, and the notice of a host that is away. At a desk and on a phone.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startBrowser, Visitor } from "../support/browser.ts";
import type { BridgeState } from "../../protocol/pty.ts";
import type { FakePeer } from "../support/fake-room.ts";
import { FakeRoom, TERMINAL } from "../support/fake-room.ts";
import { PHONE } from "../support/fingers.ts";

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

  test("W99 what a sleeping host dropped is named with its terminal, and stays until it is dismissed", async () => {
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

  const SINCE = Date.now();
  const AWAYS: readonly Partial<BridgeState>[] = [
    { how: "left", until: SINCE + 600_000 },
    { how: "crashed", until: SINCE + 600_000 },
    { how: "silent" },
    { how: "offline" },
    { how: "left", until: SINCE },
    { how: "ended", by: "stop" },
    { how: "ended", by: "signal" },
  ];
  const away = (facts: Partial<BridgeState>): void =>
    peer.say({ type: "bridge", state: "away", since: SINCE, ...facts });

  for (const [where, options] of [
    ["at a desk", DESK],
    ["on a phone", PHONE],
    ["on a small phone", { ...PHONE, viewport: { width: 360, height: 640 } }],
  ] as const)
    test(`W130 W131 the notice of a host that is away is whole and covers nothing that was printed ${where}`, async () => {
      await arrive(options);
      peer.bytes(0, "\r\n".repeat(80));
      const notice = ana.page.locator(".toast.warn");
      for (const facts of AWAYS) {
        peer.say({ type: "bridge", state: "here" });
        await notice.waitFor({ state: "detached" });
        away(facts);
        await notice.waitFor();
        const seen = await ana.page.evaluate(() => {
          const box = (one: string) => {
            const { top, bottom, left, right } =
              document.querySelector(one)?.getBoundingClientRect() ?? new DOMRect();
            return { top, bottom, left, right };
          };
          const text = document.querySelector(".toast.warn p");
          const pill = document.querySelector(".pill-text");
          return {
            notice: box(".toast.warn"),
            screen: box(".screen"),
            isTextCut: text === null || text.scrollHeight > text.clientHeight + 1,
            isPillCut: pill === null || pill.scrollWidth > pill.clientWidth,
            width: innerWidth,
            height: innerHeight,
          };
        });
        const label = `${JSON.stringify(facts)} ${JSON.stringify(seen)}`;
        expect([seen.isTextCut, seen.isPillCut], label).toEqual([false, false]);
        expect(seen.notice.left >= 0 && seen.notice.right <= seen.width, label).toBe(true);
        expect(seen.notice.bottom, label).toBeLessThanOrEqual(seen.height);
        const isOver = facts.how === "ended" || facts.until === SINCE;
        if (isOver || options !== DESK)
          expect(seen.notice.top, label).toBeGreaterThanOrEqual(seen.screen.bottom);
      }
    });

  test("W61 W128 a page whose relay goes with the host goes on saying how the host went", async () => {
    await arrive(PHONE);
    away({ how: "left", until: Date.now() + 2_000 });
    await ana.page.getByText(/closed pairpty’s window.*keep running/).waitFor();
    room.close();
    await ana.page.getByText(/did not restart in time.*ask the host for a new link/).waitFor();
    await ana.status("Host left");
    expect(await ana.page.getByText("lost its connection").count()).toBe(0);
    room = await FakeRoom.open();
  });

  test("W61 a page that comes while the host is away does not say that it connects", async () => {
    ana = await Visitor.come(browser, room.link(), PHONE);
    peer = await room.peer(1);
    away({ how: "left", until: Date.now() + 600_000 });
    await ana.page.getByText("Waiting for the host…").waitFor();
    expect(await ana.page.getByText("Connecting to the room…").count()).toBe(0);
  });

  test("W100 a name given by the terminal's own menu leaves the focus in the terminal", async () => {
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
