import { expect, test } from "vitest";
import { shortcutOf } from "./keys.ts";

const press = (key: string, code: string, part = {}) =>
  shortcutOf({
    key,
    code,
    altKey: true,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    ...part,
  });

test("W2 Alt with a key commands the page", () => {
  expect(press("n", "KeyN")).toEqual({ do: "new" });
  expect(press("w", "KeyW")).toEqual({ do: "close" });
  expect(press("/", "Slash")).toEqual({ do: "help" });
  expect(press("3", "Digit3")).toEqual({ do: "pick", number: 3 });
  expect(press("0", "Digit0")).toEqual({ do: "tabs" });
  expect(press("ArrowLeft", "ArrowLeft")).toEqual({ do: "step", by: -1 });
});

test("W2 a composed letter counts by its place, a moved one by its letter", () => {
  expect(press("˜", "KeyN")).toEqual({ do: "new" });
  expect(press("w", "Comma")).toEqual({ do: "close" });
});

test("W2 every other key belongs to the terminal", () => {
  expect(press("n", "KeyN", { altKey: false })).toBeUndefined();
  expect(press("n", "KeyN", { ctrlKey: true })).toBeUndefined();
  expect(press("f", "KeyF")).toBeUndefined();
});
