import fc from "fast-check";
import { expect, test } from "vitest";
import { KNOCK_PATTERN } from "../../protocol/link.ts";
import { parseRelayAddress } from "./relay-address.ts";
import { backoffMs, judgeLiveness } from "./liveness.ts";
import { computeKnock } from "./handshake.ts";

const fresh = { receivedAt: 1_000, pingedAt: undefined, nudgedAt: undefined };

test("L2 back-off grows, is spread, and has a ceiling", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 1000 }),
      fc.boolean(),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (attempt, near, random) => {
        const wait = backoffMs(attempt, near, random);
        expect(wait).toBeLessThanOrEqual(near ? 1_000 : 30_000);
        expect(wait).toBeGreaterThanOrEqual(near ? 25 : 250);
      },
    ),
  );
  expect(backoffMs(3, false, 0.5)).toBeGreaterThan(backoffMs(2, false, 0.5));
  expect(backoffMs(3, false, 0.9)).toBeGreaterThan(backoffMs(3, false, 0.1));
});

test("L2 a quiet link is pinged, a silent one nudged, and one that answers neither is dead", () => {
  expect(judgeLiveness(fresh, 2_000, false)).toBe("fine");
  expect(judgeLiveness(fresh, 21_000, false)).toBe("ping");
  const pinged = { ...fresh, pingedAt: 21_000 };
  expect(judgeLiveness(pinged, 22_000, false)).toBe("fine");
  expect(judgeLiveness(pinged, 26_000, false)).toBe("nudge");
  const nudged = { ...pinged, nudgedAt: 26_000 };
  expect(judgeLiveness(nudged, 30_999, false)).toBe("fine");
  expect(judgeLiveness(nudged, 31_000, false)).toBe("dead");
});

test("L2 with bytes under way, silence is suspect sooner; a sleep is no death sentence", () => {
  expect(judgeLiveness(fresh, 6_000, true)).toBe("nudge");
  expect(judgeLiveness(fresh, 9_000_000, true)).toBe("nudge");
});

test("L6 an unencrypted relay elsewhere needs --insecure; loopback and TLS do not", () => {
  expect(() => parseRelayAddress("http://relay.example.com", false)).toThrow(/not encrypted/);
  expect(parseRelayAddress("http://relay.example.com", true).secure).toBe(false);
  expect(parseRelayAddress("https://relay.example.com", false).origin).toBe(
    "https://relay.example.com",
  );
  expect(parseRelayAddress("relay.example.com", false).origin).toBe("https://relay.example.com");
  expect(parseRelayAddress("ws://127.0.0.1:99", false)).toMatchObject({
    loopback: true,
    origin: "http://127.0.0.1:99",
  });
  expect(parseRelayAddress("http://[::1]:99", false).loopback).toBe(true);
  for (const bad of ["ftp://x", "https://x/path", "https://u@x", "http://", "https://x?q"]) {
    expect(() => parseRelayAddress(bad, true), bad).toThrow(/not a relay's address/);
  }
});

test("R85 a bridge's knock is the same at every dial, and another for another key, room or relay", () => {
  const credentials = (workspace: string, key: string) => ({
    workspace,
    publicKey: "",
    sign: (text: string) => `${key}:${text}`,
  });
  const ours = computeKnock(credentials("a-room", "key"), "https://relay.example");
  expect(ours).toMatch(KNOCK_PATTERN);
  expect(computeKnock(credentials("a-room", "key"), "https://relay.example")).toBe(ours);
  expect(computeKnock(credentials("a-room", "other"), "https://relay.example")).not.toBe(ours);
  expect(computeKnock(credentials("b-room", "key"), "https://relay.example")).not.toBe(ours);
  expect(computeKnock(credentials("a-room", "key"), "https://other.example")).not.toBe(ours);
});
