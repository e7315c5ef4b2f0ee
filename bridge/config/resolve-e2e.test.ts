import { expect, test } from "vitest";
import { resolveE2e } from "./resolve-e2e.ts";

const EMBEDDED = { relay: undefined, tunnel: undefined };
const TUNNEL = { relay: undefined, tunnel: "cloudflared" };
const ELSEWHERE = { relay: "https://relay.example.com", tunnel: undefined };
const LOOPBACK = { relay: "http://127.0.0.1:8787", tunnel: undefined };

test("SE28 auto seals every room but that of the embedded relay without a tunnel", () => {
  expect(resolveE2e("auto", EMBEDDED)).toBe(false);
  for (const route of [TUNNEL, ELSEWHERE, LOOPBACK]) expect(resolveE2e("auto", route)).toBe(true);
});

test("SE28 on and off decide wherever the relay is", () => {
  for (const route of [EMBEDDED, TUNNEL, ELSEWHERE, LOOPBACK]) {
    expect(resolveE2e("on", route)).toBe(true);
    expect(resolveE2e("off", route)).toBe(false);
  }
});
