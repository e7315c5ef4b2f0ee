// Owns fingers on the screen of a visitor's phone: real touch input, by the browser's own protocol.

import type { CDPSession } from "playwright-core";
import type { Visitor } from "./browser.ts";

export interface Spot {
  readonly x: number;
  readonly y: number;
}

export const PHONE = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
  // A swipe goes on only where motion is welcome.
  reducedMotion: "no-preference",
} as const;

const STEPS = 8;
const STEP_MS = 16;
/** So long a finger stays that meant to stop. */
const REST_MS = 120;
const LONG_MS = 500;

export class Fingers {
  readonly #protocol: CDPSession;

  private constructor(protocol: CDPSession) {
    this.#protocol = protocol;
  }

  static async of(visitor: Visitor): Promise<Fingers> {
    // A page knows no time before its own: a finger that came then would not have stayed long.
    await visitor.page.waitForFunction((ms) => performance.now() > ms, LONG_MS);
    return new Fingers(await visitor.page.context().newCDPSession(visitor.page));
  }

  async down(...spots: Spot[]): Promise<void> {
    await this.#send("touchStart", spots);
  }

  async move(...spots: Spot[]): Promise<void> {
    await this.#send("touchMove", spots);
  }

  async up(): Promise<void> {
    await this.#send("touchEnd", []);
  }

  async tap(spot: Spot): Promise<void> {
    await this.down(spot);
    await this.up();
  }

  async doubleTap(spot: Spot): Promise<void> {
    const now = Date.now();
    for (const began of [now - 250, now - 100]) {
      await this.#send("touchStart", [spot], began);
      await this.#send("touchEnd", [], began + 50);
    }
  }

  /** Longer than a tap takes; by the finger's own clock, so that nobody waits for it. */
  async press(spot: Spot): Promise<void> {
    await this.#send("touchStart", [spot], Date.now() - LONG_MS);
    await this.up();
  }

  /** A step with each frame, as a hand does it, by its own clock. `rest`: it stops before it leaves. */
  async swipe(from: Spot, to: Spot, { rest = false } = {}): Promise<void> {
    const ended = Date.now();
    const began = ended - STEPS * STEP_MS - (rest ? REST_MS : 1);
    const send = (step: number): Promise<void> => {
      const part = step / STEPS;
      const spot = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
      return this.#send("touchMove", [spot], began + step * STEP_MS);
    };
    // Sent together: on a busy machine an answer in between may take so long that it is a long press.
    await Promise.all([this.#send("touchStart", [from], began), send(1), send(2)]);
    for (let step = 3; step <= STEPS; step++) await send(step);
    await this.#send("touchEnd", [], ended);
  }

  async pinch(middle: Spot, from: number, to: number): Promise<void> {
    const spots = (apart: number): [Spot, Spot] => [
      { x: middle.x - apart / 2, y: middle.y },
      { x: middle.x + apart / 2, y: middle.y },
    ];
    await this.down(...spots(from));
    for (let step = 1; step <= STEPS; step++)
      await this.move(...spots(from + ((to - from) * step) / STEPS));
    await this.up();
  }

  async #send(
    type: "touchStart" | "touchMove" | "touchEnd",
    spots: readonly Spot[],
    at = Date.now(),
  ): Promise<void> {
    const touchPoints = spots.map(({ x, y }, id) => ({ x, y, id }));
    await this.#protocol.send("Input.dispatchTouchEvent", {
      type,
      touchPoints,
      timestamp: at / 1000,
    });
  }
}
