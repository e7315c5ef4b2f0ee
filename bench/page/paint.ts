// Owns timing paints inside a page: from a key to the frame that shows its letter. The same for every
// page under test, since all of them draw with xterm.

import type { Page } from "playwright-core";

/** What a page's xterm is to the probe. */
interface Emulator {
  onRender(listener: () => void): unknown;
  buffer: {
    active: {
      baseY: number;
      cursorX: number;
      cursorY: number;
      length: number;
      getLine(row: number): { translateToString(trim: boolean): string } | undefined;
    };
  };
}

interface Probe {
  arm(): void;
  painted: Promise<number>;
  text(): string;
}

declare global {
  interface Window {
    pageProbe?: Probe;
    /** Where ttyd's page and wetty's leave their xterm. */
    term?: Emulator;
    wetty_term?: Emulator;
  }
}

/** For a page of ours, of ttyd or of wetty. */
export async function installProbe(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const host: (HTMLElement & { terminal?: Emulator }) | null = document.querySelector(
      '.panel[data-active="true"] .host',
    );
    const term = host?.terminal ?? window.term ?? window.wetty_term;
    if (!term?.buffer) return false;
    if (window.pageProbe) return true;
    const cursor = () => `${term.buffer.active.cursorX},${term.buffer.active.cursorY}`;
    let began: { at: number; cursor: string; settle: (ms: number) => void } | undefined;
    let settle: (ms: number) => void = () => {};
    const painted = () => {
      const one = began;
      if (!one) return;
      began = undefined;
      // Runs behind the paint of the frame that it is posted in.
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener("message", () => one.settle(performance.now() - one.at));
      port1.start();
      port2.postMessage(0);
    };
    const probe: Probe = {
      painted: Promise.resolve(0),
      arm() {
        probe.painted = new Promise((resolve) => {
          settle = resolve;
        });
      },
      text: () => {
        const { active } = term.buffer;
        return active.getLine(active.baseY + active.cursorY)?.translateToString(true) ?? "";
      },
    };
    document.addEventListener(
      "keydown",
      () => {
        began = { at: performance.now(), cursor: cursor(), settle };
      },
      { capture: true },
    );
    term.onRender(() => {
      if (began && cursor() !== began.cursor) painted();
    });
    // Letters ahead of the program's answer.
    new MutationObserver((records) => {
      const isLetter = records.some(
        ({ target, addedNodes }) =>
          target instanceof Element && target.className === "predicted" && addedNodes.length > 0,
      );
      if (isLetter && began) requestAnimationFrame(painted);
    }).observe(document.body, { childList: true, subtree: true });
    window.pageProbe = probe;
    return true;
  });
}

/** Milliseconds from the key to the paint of its letter. */
export async function timeKey(page: Page, key: string): Promise<number> {
  await page.evaluate(() => window.pageProbe?.arm());
  await page.keyboard.press(key);
  return (await page.evaluate(() => window.pageProbe?.painted)) ?? Number.NaN;
}

/** Until the cursor's line ends so. */
export async function awaitLine(page: Page, end: string): Promise<void> {
  await page.waitForFunction((text) => window.pageProbe?.text().trimEnd().endsWith(text), end, {
    polling: "raf",
  });
}
