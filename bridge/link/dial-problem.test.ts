// The errors for failed dials.

import { expect, test } from "vitest";
import { dialError, proxyRefusal } from "./dial-problem.ts";

const withCode = (code: string) => Object.assign(new Error(`it failed: ${code}`), { code });
const straight = { host: "relay.example", proxy: undefined, answer: undefined };
const through = { host: "relay.example:444", proxy: "http://proxy:3128", answer: undefined };

test("O2 an error before the proxy answered is the proxy's, and after it the relay's", () => {
  const before = dialError(withCode("ENOTFOUND"), through);
  expect(before.reason).toContain("the proxy http://proxy:3128 cannot be reached");
  expect(before.hint).toContain("NO_PROXY=relay.example bypasses");
  const after = dialError(withCode("ECONNRESET"), { ...through, answer: 200 });
  expect(after).toEqual({ reason: "it failed: ECONNRESET", hopeless: false });
});

test("O17 certificates are judged where they were shown", () => {
  const unknown = dialError(withCode("SELF_SIGNED_CERT_IN_CHAIN"), straight);
  expect(unknown.reason).toContain("certificate of relay.example is not signed by a CA");
  expect(unknown.hopeless).toBe(true);
  const ofProxy = dialError(withCode("DEPTH_ZERO_SELF_SIGNED_CERT"), through);
  expect(ofProxy.reason).toContain("certificate of the proxy http://proxy:3128");
  expect(dialError(withCode("CERT_HAS_EXPIRED"), straight).hint).toContain("clock");
  expect(dialError(withCode("ERR_TLS_CERT_ALTNAME_INVALID"), straight).hopeless).toBe(true);
});

test("O16 only what asks for a change is hopeless", () => {
  const hopeless = (status: number) => proxyRefusal(status, "http://p:1", "r:2").hopeless;
  expect([407, 403, 502, 503].map(hopeless)).toEqual([true, true, false, false]);
});
