// The errors for failed dials.

import { expect, test } from "vitest";
import { toDialProblem, toProxyProblem } from "./dial-problem.ts";

const withCode = (code: string) => Object.assign(new Error(`it failed: ${code}`), { code });
const straight = { host: "relay.example", proxy: undefined, proxyStatus: undefined };
const through = { host: "relay.example:444", proxy: "http://proxy:3128", proxyStatus: undefined };

test("O2 an error before the proxy answered is the proxy's, and after it the relay's", () => {
  const before = toDialProblem(withCode("ENOTFOUND"), through);
  expect(before.reason).toContain("the proxy http://proxy:3128 cannot be reached");
  expect(before.hint).toContain("NO_PROXY=relay.example bypasses");
  const after = toDialProblem(withCode("ECONNRESET"), { ...through, proxyStatus: 200 });
  expect(after).toEqual({ reason: "it failed: ECONNRESET", isPermanent: false });
});

test("O17 certificates are judged where they were shown", () => {
  const unknown = toDialProblem(withCode("SELF_SIGNED_CERT_IN_CHAIN"), straight);
  expect(unknown.reason).toContain("certificate of relay.example is not signed by a CA");
  expect(unknown.isPermanent).toBe(true);
  const ofProxy = toDialProblem(withCode("DEPTH_ZERO_SELF_SIGNED_CERT"), through);
  expect(ofProxy.reason).toContain("certificate of the proxy http://proxy:3128");
  expect(toDialProblem(withCode("CERT_HAS_EXPIRED"), straight).hint).toContain("clock");
  expect(toDialProblem(withCode("ERR_TLS_CERT_ALTNAME_INVALID"), straight).isPermanent).toBe(true);
});

test("O16 only what asks for a change is hopeless", () => {
  const hopeless = (status: number) => toProxyProblem(status, "http://p:1", "r:2").isPermanent;
  expect([407, 403, 502, 503].map(hopeless)).toEqual([true, true, false, false]);
});
