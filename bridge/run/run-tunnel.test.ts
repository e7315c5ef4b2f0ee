// Every client gets a ping before a tunnel would cut its connection.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startKeepalive } from "./run-tunnel.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("TU10 everyone is pinged within every 30 s, whoever came meanwhile, until the end", () => {
  const people = ["ada"];
  const received: string[] = [];
  const end = startKeepalive(
    () => people,
    (one) => received.push(one),
  );
  vi.advanceTimersByTime(29_000);
  people.push("bo");
  vi.advanceTimersByTime(29_000);
  expect(received).toEqual(["ada", "ada", "bo"]);
  end();
  vi.advanceTimersByTime(90_000);
  expect(received).toHaveLength(3);
});
