// The outcome and timing of a start's first link, with a fake clock.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CloseCode } from "../../protocol/codes.ts";
import { ExitCode } from "../errors.ts";
import { parseRelayAddress } from "../link/relay-address.ts";
import { FirstLink } from "./first-link.ts";

const ADDRESS = parseRelayAddress("https://relay.example.com", false);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns the outcome so far; undefined while pending. */
function watch(first: FirstLink) {
  const seen: { settled?: unknown }[] = [];
  void first.outcome.then((outcome) => seen.push({ settled: outcome }));
  return async () => {
    await Promise.resolve();
    return seen[0];
  };
}

test("C5 a relay that cannot be reached is waited for 8 s, then told with the last reason, exit 5", async () => {
  const first = new FirstLink(ADDRESS);
  const outcome = watch(first);
  first.onDialFailed({ reason: "connection refused", isPermanent: false });
  vi.advanceTimersByTime(7_999);
  expect(await outcome()).toBeUndefined();
  vi.advanceTimersByTime(1);
  expect(await outcome()).toMatchObject({
    settled: {
      exitCode: ExitCode.unavailable,
      message: "https://relay.example.com cannot be reached: connection refused",
    },
  });
  expect(first.isEstablished).toBe(false);
});

test("C3 C5 what no other try would cure is told at once: a hopeless dial, exit 5, a refusal, exit 4; of a taken name with advice about the name, not about keys", async () => {
  const dialled = new FirstLink(ADDRESS);
  dialled.onDialFailed({ reason: "no such host", hint: "Look at the address.", isPermanent: true });
  expect(await watch(dialled)()).toMatchObject({
    settled: { exitCode: ExitCode.unavailable, hint: "Look at the address." },
  });
  const refused = new FirstLink(ADDRESS);
  const reason = "This workspace belongs to another key.";
  refused.onEvent({ event: "link_refused", code: CloseCode.unauthorized, reason });
  expect(await watch(refused)()).toMatchObject({
    settled: {
      exitCode: ExitCode.refused,
      message: expect.stringContaining("belongs to another key"),
      hint: expect.stringMatching(/^(?!.*RELAY_KEY).*Choose another --workspace/),
    },
  });
});

test("C5 a link that comes within its time is the outcome, whatever failed before or later", async () => {
  const first = new FirstLink(ADDRESS);
  const outcome = watch(first);
  first.onDialFailed({ reason: "connection refused", isPermanent: false });
  first.onEvent({ event: "link_up" });
  vi.advanceTimersByTime(60_000);
  expect(await outcome()).toEqual({ settled: undefined });
  expect(first.isEstablished).toBe(true);
});
