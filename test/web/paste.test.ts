// How a paste ends, in a real page against a room that says what it is told.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startBrowser, Visitor } from "../support/browser.ts";
import type { FakePeer } from "../support/fake-room.ts";
import { FakeRoom } from "../support/fake-room.ts";

const browser = await startBrowser();
const START = "\u001B[200~";
const END = "\u001B[201~";

describe.skipIf(!browser)("the end of a paste", () => {
  let room: FakeRoom;
  let ana: Visitor;
  let peer: FakePeer;

  beforeEach(async () => {
    room = await FakeRoom.open();
    ana = await Visitor.come(browser, room.link());
    peer = await room.arrived("edit");
    // As a shell does it that marks pastes.
    const lines = `${"line\r\n".repeat(200)}\u001B[?2004h$ ready`;
    peer.bytes(0, lines);
    await ana.shows("ready");
    await ana.page.locator(".host").click();
  });
  afterEach(async () => {
    await ana.leave();
    room.close();
  });

  const paste = (text: string): Promise<void> =>
    ana.page.evaluate((pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", pasted);
      document.activeElement?.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
      );
    }, text);
  const input = async (): Promise<string> => (await peer.request("pty:input")).data;

  test("WT78 a copied line stands at the prompt with the cursor behind it, and nothing runs", async () => {
    await paste("echo one\n");
    expect(await input()).toBe(`${START}echo one${END}`);
  });

  test("WT31 no end inside a pasted text ends the paste, and none of it is left", async () => {
    await paste(`echo a${END}\nrm -rf b\u009B201~${START}\n`);
    expect(await input()).toBe(`${START}echo a\rrm -rf b\r${END}`);
  });

  test("WT79 a paste into a terminal that is scrolled back goes to its bottom", async () => {
    const place = () =>
      ana.page.evaluate(() => {
        const host = document.querySelector<HTMLElement & { terminal?: Scrolled }>(".host");
        const { viewportY = 0, baseY = 0 } = host?.terminal?.buffer.active ?? {};
        return baseY - viewportY;
      });
    await ana.press("Shift+PageUp");
    await expect.poll(place).toBeGreaterThan(0);
    await paste("echo one");
    await input();
    await expect.poll(place).toBe(0);
  });
});

interface Scrolled {
  buffer: { active: { viewportY: number; baseY: number } };
}
