// Asking a person: how long, and the error without a yes.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ConfirmRequest } from "./confirm.ts";
import { confirmWithPerson } from "./confirm.ts";
import type { Confirmation } from "./types.ts";

const asked = (level: ConfirmRequest["level"]): ConfirmRequest => ({
  command: "make",
  level,
  reasons: ["make is not on the safe list"],
  workingDirectory: "/w",
  isolation: "none",
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("Y56 the person gets the whole question, and their yes counts", async () => {
  const seen: Confirmation[] = [];
  const confirm = (question: Confirmation) => {
    seen.push(question);
    return true;
  };
  expect(await confirmWithPerson({ confirm }, asked("unknown"))).toEqual({ ok: true });
  expect(await confirmWithPerson({ confirm }, asked("dangerous"))).toEqual({ ok: true });
  expect(seen[0]).toEqual({
    ...asked("unknown"),
    message: "Run this unknown command? (make is not on the safe list)\nmake",
    timeoutSeconds: 10,
  });
  expect(seen[1]?.timeoutSeconds).toBeNull();
  expect(vi.getTimerCount()).toBe(0);
});

test("Q104 Q106 the question and the refusal name the gravest reason; the question has the notes", async () => {
  const seen: Confirmation[] = [];
  const confirm = (question: Confirmation) => {
    seen.push(question);
    return false;
  };
  const reasons = ["`make` runs what it reads", "`x` isn't on the safe list", "its input: y"];
  const request = { ...asked("dangerous"), reasons, notes: ["its input: y"] };
  expect(await confirmWithPerson({ confirm }, request)).toEqual({
    ok: false,
    error: "A person denied this command (`make` runs what it reads). Nothing ran.",
  });
  expect(seen).toEqual([
    {
      ...asked("dangerous"),
      reasons,
      message: "Run this dangerous command? (`make` runs what it reads)\nmake\nits input: y",
      timeoutSeconds: null,
    },
  ]);
});

test("Y124 an unknown command waits 10 s for an answer", async () => {
  const waiting = confirmWithPerson({ confirm: () => new Promise(() => {}) }, asked("unknown"));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(await Promise.race([waiting, Promise.resolve("waits")])).toBe("waits");
  await vi.advanceTimersByTimeAsync(1);
  expect(await waiting).toEqual({ ok: false, error: expect.stringContaining("within 10 s") });
});

test("Y124 a dangerous one waits for as long as it takes", async () => {
  let answer = (_yes: boolean) => {};
  const confirm = () => new Promise<boolean>((resolve) => (answer = resolve));
  const waiting = confirmWithPerson({ confirm }, asked("dangerous"));
  await vi.advanceTimersByTimeAsync(86_400_000);
  answer(true);
  expect(await waiting).toEqual({ ok: true });
});

test.each([
  ["nobody to ask", {}, "has no confirm()"],
  ["no", { confirm: () => false }, "A person denied this"],
  ["a later no", { confirm: async () => false }, "A person denied this"],
  [
    "a throw",
    {
      confirm: () => {
        throw new Error("no window");
      },
    },
    "confirm() failed: no window",
  ],
  ["a rejection", { confirm: () => Promise.reject(new Error("gone")) }, "confirm() failed: gone"],
])("Y125 %s is a no that says so", async (_name, agent, error) => {
  for (const level of ["unknown", "dangerous"] as const) {
    expect(await confirmWithPerson(agent, asked(level))).toEqual({
      ok: false,
      error: expect.stringContaining(error),
    });
  }
});

test("Y125 no one waits any more: nothing runs, and nothing is left waiting", async () => {
  const leaving = new AbortController();
  const confirm = () => new Promise<boolean>(() => {});
  const waiting = confirmWithPerson({ confirm }, asked("unknown"), leaving.signal);
  leaving.abort();
  expect(await waiting).toMatchObject({ ok: false });
  expect(vi.getTimerCount()).toBe(0);
});
