// What is typed while the page opens a terminal, against a room that answers when the test says so.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BrowserContextOptions } from "playwright-core";
import type { Terminal } from "../../protocol/terminal.ts";
import { Visitor, startBrowser } from "../support/browser.ts";
import type { FakePeer } from "../support/fake-room.ts";
import { FakeRoom, TERMINAL } from "../support/fake-room.ts";

const browser = await startBrowser();
const OLD = TERMINAL.id;
const NEW: Terminal = { ...TERMINAL, id: "pty-bbbbbb", number: 2, createdAt: 2 };

describe.skipIf(!browser)("typing while a terminal is opened", () => {
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

  async function arrive(terminals: Terminal[], options: BrowserContextOptions = {}): Promise<void> {
    ana = await Visitor.come(browser, "about:blank", options);
    await ana.page.goto(room.link());
    peer = await room.peer(1);
    peer.welcome("edit", terminals);
    if (terminals.length === 0) return;
    await peer.request("pty:attach");
    peer.attached({ snapshot: "$ " });
    await peer.request("pty:view");
    await ana.page.locator(".host").click();
  }

  /** What was typed into a terminal, as far as the page has sent it. */
  const typedInto = (id: string): string =>
    peer.requests
      .flatMap((one) => (one.type === "pty:input" && one.id === id ? [one.data] : []))
      .join("");
  /** How many terminals the page has requested. */
  const asked = (): number => peer.requests.filter(({ type }) => type === "pty:spawn").length;
  const open = async (): Promise<void> => {
    await ana.press("Alt+n");
    await peer.request("pty:spawn");
  };
  /** The bridge's answer to the page's request. */
  async function answer(): Promise<void> {
    const { id } = await peer.request("pty:spawn");
    peer.say({ type: "pty:spawned", id, terminal: NEW });
  }
  /** The bridge has opened it, and the page asks to attach. */
  async function opens(): Promise<void> {
    await answer();
    await peer.request("pty:attach", ({ id }) => id === NEW.id);
  }
  const attaches = (): void => peer.attached({ id: NEW.id, channel: 2, snapshot: "" });
  const says = async (text: string): Promise<void> =>
    await ana.page.getByText(text).filter({ visible: true }).first().waitFor();
  let pings = 0;
  /** All that the page said before this has arrived. */
  async function settled(): Promise<void> {
    pings += 1;
    const n = pings;
    peer.say({ type: "pairpty:ping", n });
    await peer.until("pong", () =>
      peer.requests.some((one) => one.type === "pairpty:pong" && one.n === n),
    );
  }

  test("WT13 WT61 what is typed right after Alt+N goes to the new terminal, whole and in order, once it is attached", async () => {
    await arrive([TERMINAL]);
    await open();
    await ana.page.keyboard.type("ls -l");
    await ana.press("ArrowLeft", "Control+a");
    await ana.page.keyboard.insertText("é👍");
    await opens();
    await ana.page.keyboard.type("xy");
    await settled();
    expect([typedInto(OLD), typedInto(NEW.id)]).toEqual(["", ""]);
    attaches();
    await ana.page.keyboard.type("z\n");
    await expect.poll(() => typedInto(NEW.id)).toBe("ls -l\u001B[D\u0001é👍xyz\r");
    const order = peer.requests.filter((one) => "id" in one && one.id === NEW.id);
    const types = order.map(({ type }) => type);
    expect(types.indexOf("pty:drive")).toBeLessThan(types.indexOf("pty:input"));
    expect(typedInto(OLD)).toBe("");
    expect(asked()).toBe(1);
    expect(ana.faults).toEqual([]);
  });

  test("WT65 WT64 a second Alt+N opens nothing more and says so; what is typed stays whole", async () => {
    await arrive([TERMINAL]);
    await open();
    await ana.page.keyboard.type("ls\n");
    await ana.press("Alt+n");
    await ana.page.getByText("still being opened").waitFor();
    await ana.page.keyboard.type("echo second\n");
    await opens();
    attaches();
    await expect.poll(() => typedInto(NEW.id)).toBe("ls\recho second\r");
    expect([typedInto(OLD), asked()]).toEqual(["", 1]);
  });

  test("WT13 WT62 with no terminal on the page, by the button: letters, keys and a paste wait, too", async () => {
    await arrive([]);
    await ana.page.getByRole("button", { name: "Open a terminal" }).click();
    await peer.request("pty:spawn");
    await ana.page.keyboard.type("echp");
    await ana.press("Backspace");
    await ana.page.keyboard.type("o ");
    await ana.page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "pas\u001Bted");
      document.activeElement?.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
      );
    });
    await ana.press("Enter");
    await ana.page.keyboard.type("a");
    await ana.press("Tab");
    await opens();
    attaches();
    await ana.page.keyboard.type("b");
    await expect.poll(() => typedInto(NEW.id)).toBe("echo pasted\ra\tb");
  });

  test("WT63 a word that is being composed stays whole, and is the new terminal's", async () => {
    await arrive([TERMINAL]);
    await open();
    const cdp = await ana.page.context().newCDPSession(ana.page);
    await cdp.send("Input.imeSetComposition", { text: "に", selectionStart: 1, selectionEnd: 1 });
    await settled();
    await answer();
    await settled();
    await cdp.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
    await ana.page.keyboard.insertText("日本");
    await peer.request("pty:attach", ({ id }) => id === NEW.id);
    attaches();
    await ana.page.keyboard.type("!");
    await expect.poll(() => typedInto(NEW.id)).toBe("日本!");
    expect(typedInto(OLD)).toBe("");
  });

  test("WT63 a word whose end and the answer come together is not lost", async () => {
    await arrive([TERMINAL]);
    await open();
    const cdp = await ana.page.context().newCDPSession(ana.page);
    await cdp.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
    await settled();
    await answer();
    await ana.page.keyboard.insertText("日本");
    await peer.request("pty:attach", ({ id }) => id === NEW.id);
    attaches();
    await ana.page.keyboard.type("!");
    await expect.poll(() => typedInto(NEW.id)).toBe("日本!");
    expect(typedInto(OLD)).toBe("");
  });

  test("W14 text that comes without a key is sent, also where a key was let go elsewhere", async () => {
    await arrive([TERMINAL, NEW]);
    // The keys go down in one terminal, and up in the other.
    await ana.press("Alt+2");
    await peer.request("pty:attach", ({ id }) => id === NEW.id);
    attaches();
    await ana.page.locator(`#tab-${OLD}`).click();
    await ana.page.keyboard.insertText("👍 dictated");
    await expect.poll(() => typedInto(OLD)).toBe("👍 dictated");
  });

  test("WT14 a terminal that cannot be opened: what was typed is not sent, and its person is told", async () => {
    await arrive([TERMINAL]);
    await open();
    await ana.page.keyboard.type("rm x\n");
    const { id } = await peer.request("pty:spawn");
    const error = "There are 200 terminals already; close some first.";
    peer.say({ type: "pty:error", id, code: "too_many", error });
    await says("There are 200 terminals already; close some first. What you typed was not sent.");
    await ana.page.keyboard.type("k");
    await expect.poll(() => typedInto(OLD)).toBe("k");
  });

  test("WT68 Esc gives it up: nothing is sent, the keys are the old terminal's, and the new one does not take them", async () => {
    await arrive([TERMINAL]);
    await open();
    await ana.page.keyboard.type("rm x");
    await ana.press("Escape");
    await says("What you typed for the new terminal was not sent.");
    await ana.page.keyboard.type("o");
    await answer();
    await ana.page.locator(`#tab-${NEW.id}`).waitFor();
    await ana.page.keyboard.type("ld");
    await expect.poll(() => typedInto(OLD)).toBe("old");
    expect(typedInto(NEW.id)).toBe("");
  });

  test("WT68 a click into another terminal gives it up, too", async () => {
    await arrive([TERMINAL]);
    await ana.page.getByRole("button", { name: "New", exact: false }).first().click();
    await peer.request("pty:spawn");
    await ana.page.keyboard.type("lost");
    await ana.page.locator(".host").click();
    await says("What you typed for the new terminal was not sent.");
    await ana.page.keyboard.type("here");
    await expect.poll(() => typedInto(OLD)).toBe("here");
  });

  test("WT67 W133 a cut drops it, and says that the terminal may still open: nothing runs later", async () => {
    await arrive([TERMINAL]);
    await open();
    await ana.page.keyboard.type("rm x\n");
    peer.cut();
    await says("Connection lost. The new terminal may still open. What you typed was not sent.");
    peer = await room.peer(2);
    peer.terminals(TERMINAL, NEW);
    await peer.request("pty:attach");
    peer.attached({});
    await ana.page.locator(`#tab-${NEW.id}`).click();
    await peer.request("pty:attach", ({ id }) => id === NEW.id);
    attaches();
    await settled();
    expect([typedInto(OLD), typedInto(NEW.id), asked()]).toEqual(["", "", 0]);
    // The next one is opened as usual.
    await open();
    expect(asked()).toBe(1);
  });

  test("WT67 WT70 after ten seconds it is dropped, and the new terminal is shown when it comes", async () => {
    await arrive([TERMINAL]);
    await ana.page.clock.install();
    await open();
    await ana.page.keyboard.type("rm x\n");
    await ana.page.clock.fastForward(10_000);
    await says("The new terminal was not ready after 10 seconds. What you typed was not sent.");
    await opens();
    attaches();
    await peer.request("pty:drive", ({ id }) => id === NEW.id);
    await ana.page.keyboard.type("n");
    await expect.poll(() => typedInto(NEW.id)).toBe("n");
    expect(typedInto(OLD)).toBe("");
  });
});
