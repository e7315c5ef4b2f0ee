// What the window in front of us can take, by the environment.

import { expect, test } from "vitest";
import { canAsk, hasColors, canReadKeys } from "./output.ts";

const tty = { isTTY: true };
const pipe = {};

test("C68 colours: on a terminal that shows them; NO_COLOR, CI and dumb say no, FORCE_COLOR says yes", () => {
  expect(hasColors({ TERM: "xterm" }, tty)).toBe(true);
  expect(hasColors({ TERM: "xterm" }, pipe)).toBe(false);
  expect(hasColors({ TERM: "dumb" }, tty)).toBe(false);
  expect(hasColors({ CI: "true" }, tty)).toBe(false);
  expect(hasColors({ CI: "false" }, tty)).toBe(true);
  expect(hasColors({ NO_COLOR: "1" }, tty)).toBe(false);
  expect(hasColors({ NO_COLOR: "" }, tty)).toBe(true);
  expect(hasColors({ FORCE_COLOR: "1", CI: "1", TERM: "dumb" }, pipe)).toBe(true);
  expect(hasColors({ FORCE_COLOR: "0" }, tty)).toBe(false);
  expect(hasColors({ FORCE_COLOR: "1", NO_COLOR: "1" }, tty)).toBe(false);
});

test("C66 keys need a person at all three ends; a question needs two; CI has no one", () => {
  const all = { environment: { TERM: "xterm" }, stdin: tty, stdout: tty, stderr: tty };
  expect([canReadKeys(all), canAsk(all)]).toEqual([true, true]);
  expect([canReadKeys({ ...all, stdout: pipe }), canAsk({ ...all, stdout: pipe })]).toEqual([
    false,
    true,
  ]);
  for (const less of [
    { ...all, stdin: pipe },
    { ...all, stderr: pipe },
    { ...all, environment: { CI: "1" } },
  ]) {
    expect([canReadKeys(less), canAsk(less)]).toEqual([false, false]);
  }
  expect(canReadKeys({ ...all, environment: { TERM: "dumb" } })).toBe(false);
});
