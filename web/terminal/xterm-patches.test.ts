import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CursorBlink } from "./xterm-patches.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class Host extends EventTarget {
  isOff = false;

  toggleAttribute(): boolean {
    this.isOff = !this.isOff;
    return this.isOff;
  }

  removeAttribute(): void {
    this.isOff = false;
  }
}

test("WT12 WT60 a cursor blinks while its terminal has the focus, and is seen when it moves", () => {
  const host = new Host();
  const moves = new Set<() => void>();
  const onCursorMove = (listener: () => void) => {
    moves.add(listener);
    return { dispose: () => void moves.delete(listener) };
  };
  const blinking = new CursorBlink(host, { onCursorMove });
  const move = () => {
    for (const listener of moves) listener();
  };
  move();
  vi.advanceTimersByTime(600);
  expect(host.isOff).toBe(false);

  host.dispatchEvent(new Event("focusin"));
  vi.advanceTimersByTime(600);
  expect(host.isOff).toBe(true);
  move();
  expect(host.isOff).toBe(false);
  vi.advanceTimersByTime(499);
  expect(host.isOff).toBe(false);
  vi.advanceTimersByTime(1);
  expect(host.isOff).toBe(true);

  host.dispatchEvent(new Event("focusout"));
  expect(host.isOff).toBe(false);
  host.dispatchEvent(new Event("focusin"));
  blinking.dispose();
  vi.advanceTimersByTime(600);
  expect(host.isOff).toBe(false);
  expect([moves.size, vi.getTimerCount()]).toEqual([0, 0]);
});
