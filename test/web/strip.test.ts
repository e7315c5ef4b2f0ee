// What the page says in its narrow places: the line below a terminal in a split, and the bar of a phone.

import type { BrowserContextOptions, Locator } from "playwright-core";
import { afterEach, describe, expect, test } from "vitest";
import type { Role } from "../../protocol/grant.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import { Visitor, startBrowser } from "../support/browser.ts";
import type { FakePeer } from "../support/fake-room.ts";
import { FakeRoom, TERMINAL } from "../support/fake-room.ts";

const ME = 1;
const BEN = 7;
const SECOND: Terminal = { ...TERMINAL, id: "pty-bbbbbb", number: 2, createdAt: 2 };
const browser = await startBrowser();

describe.skipIf(!browser)("narrow places", () => {
  let room: FakeRoom;
  let ana: Visitor;
  let peer: FakePeer;

  async function arrive(options: BrowserContextOptions, role: Role): Promise<void> {
    room = await FakeRoom.open();
    ana = await Visitor.come(browser, room.link(), options);
    peer = await room.arrived(role);
  }

  /** Who types, how many watch, whose size, and all the buttons. */
  const bensTurn = (): void => {
    const [label, name] = ["guest", "Benjamin Franklin"];
    const people = [{ peer: BEN, called: `${name} (${label})` }];
    const size = { of: "one" as const, people };
    peer.say({ type: "pty:driver", id: TERMINAL.id, driver: BEN, label, name, viewers: 3, size });
  };

  /** What stands in sight, and whether any of it is there in part. */
  const inSight = async (line: Locator): Promise<{ whole: string[]; cut: string[] }> =>
    await line.evaluate((strip) => {
      const spans = [...strip.querySelectorAll("span:not(.dot)")].filter(
        (one) => one.getClientRects().length > 0,
      );
      const getBox = (one: Element) => one.getBoundingClientRect();
      const toFrame = (one: Element) => getBox(one.closest(".spare") ?? strip);
      const seen = spans.filter((one) => getBox(one).top < toFrame(one).bottom);
      const isCut = (one: Element) =>
        one.scrollWidth > one.clientWidth || getBox(one).left < toFrame(one).left - 1;
      const words = (some: Element[]) => some.map((one) => one.textContent ?? "");
      return {
        whole: words(seen.filter((one) => !isCut(one))),
        cut: words(seen.filter(isCut)),
      };
    });

  afterEach(async () => {
    await ana.leave();
    room.close();
    expect(ana.faults).toEqual([]);
  });

  test("WT15 the line does not say to scroll where all is in sight, whatever size was there before", async () => {
    await arrive({ viewport: { width: 1280, height: 800 } }, "edit");
    const line = ana.page.locator(`#panel-${TERMINAL.id} .strip`);
    const resize = async (cols: number, rows: number): Promise<string> => {
      peer.event(0, { type: "pty:resized", id: TERMINAL.id, cols, rows });
      await line.getByText(`${cols}×${rows}`).first().waitFor({ state: "attached" });
      return (await line.textContent()) ?? "";
    };
    const { cols, rows } = await peer.request("pty:view");
    const printed: string[] = [];
    for (const other of [20, 61, 80, 97, 111, 124, 133]) {
      await resize(other, rows - 1);
      printed.push(
        await resize(cols, rows),
        await resize(other, rows),
        await resize(cols, rows - 3),
      );
    }
    expect(await resize(600, 200)).toContain("Scroll to see all");
    expect(printed.filter((text) => text.includes("to see all"))).toEqual([]);
  });

  test("W77 W78 in a split the line says who is typing, whole; what does not fit goes, whole", async () => {
    await arrive({ viewport: { width: 1280, height: 800 } }, "edit");
    bensTurn();
    const line = ana.page.locator(`#panel-${TERMINAL.id} .strip`);
    await expect.poll(async () => (await inSight(line)).whole.join()).toContain("sized by");
    await ana.press("Alt+s");
    const { id: request } = await peer.request("pty:spawn");
    peer.say({ type: "pty:spawned", id: request, terminal: SECOND });
    const second = ana.page.locator(`#panel-${SECOND.id} .strip .who`);
    await peer.request("pty:attach", ({ id }) => id === SECOND.id);
    peer.say({ type: "pty:driver", id: SECOND.id, driver: ME, viewers: 1 });
    await second.getByText("You are typing").waitFor();
    const now = await inSight(line);
    expect(now.cut).toEqual([]);
    expect(now.whole.slice(0, 2)).toEqual(["Benjamin Franklin (guest) is typing", "2 watching"]);
    expect(now.whole.join()).not.toContain("sized by");
    // Keys go to one pane.
    await ana.page.locator(`#panel-${TERMINAL.id} .host`).click();
    await second.getByText("You typed last").waitFor();
    await expect.poll(async () => (await inSight(line)).cut).toEqual([]);
  });

  test("W71 phones of 390, 360 and 320 px show a View link the whole word Live", async () => {
    const height = 740;
    await arrive({ viewport: { width: 390, height }, hasTouch: true, isMobile: true }, "view");
    bensTurn();
    const person = { id: "me", label: "view link", role: "view" as const, since: 1 };
    peer.say({ type: "room:people", people: [person], gone: [], whole: true });
    const status = ana.page.getByTestId("status");
    await status.filter({ hasText: "Live" }).waitFor();
    for (const width of [390, 360, 320]) {
      await ana.page.setViewportSize({ width, height });
      const word = status.locator(".pill-text");
      expect(await word.evaluate((one) => one.scrollWidth <= one.clientWidth), `${width}`).toBe(
        true,
      );
      const wide = await ana.page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide).toBe(width);
      const line = await inSight(ana.page.locator(".strip"));
      // Beside the hint to scroll [WT88], a long name is cut on the narrowest.
      expect([...line.whole, ...line.cut]).toContain("Benjamin Franklin (guest) is typing");
      expect(line.cut.length).toBeLessThanOrEqual(width === 390 ? 0 : 1);
      const name = await ana.page.locator(".brand h1").boundingBox();
      expect(name?.width).toBeGreaterThan(20);
    }
  });

  test("WT88 a phone says that one scrolls to see all, whoever types and with all the buttons", async () => {
    const viewport = { width: 390, height: 740 };
    await arrive({ viewport, hasTouch: true, isMobile: true }, "edit");
    const line = ana.page.locator(`#panel-${TERMINAL.id} .strip`);
    const isSaid = async () =>
      (await inSight(line)).whole.some((text) => text.startsWith("Scroll"));
    peer.event(0, { type: "pty:resized", id: TERMINAL.id, cols: 200, rows: 50 });
    for (const turn of [
      bensTurn,
      () => peer.say({ type: "pty:driver", id: TERMINAL.id, driver: null, viewers: 3 }),
    ]) {
      turn();
      await line.getByText("Take over").waitFor();
      await expect.poll(isSaid).toBe(true);
    }
    const idle = await line.locator(".who").boundingBox();
    expect(idle?.width).toBeLessThan(60);
  });
});
