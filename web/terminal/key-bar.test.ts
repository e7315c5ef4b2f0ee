import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { KeyRepeat } from "./key-bar.tsx";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("TO6 a key that is held repeats until the finger leaves, and a tap presses it once", () => {
  const press = vi.fn();
  const key = new KeyRepeat(press);
  key.onDown();
  vi.advanceTimersByTime(399);
  key.onUp();
  key.click();
  expect(press).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1000);
  expect(press).toHaveBeenCalledTimes(1);
  key.onDown();
  vi.advanceTimersByTime(400 + 3 * 60);
  expect(press).toHaveBeenCalledTimes(5);
  key.onUp();
  key.click();
  vi.advanceTimersByTime(1000);
  expect(press).toHaveBeenCalledTimes(5);
  // Keyboards and screen readers send only the click.
  key.click();
  expect(press).toHaveBeenCalledTimes(6);
});
