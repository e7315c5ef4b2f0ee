// A program's configuration: its form, its defaults, and the errors for what is invalid.

import { expect, test } from "vitest";
import { parseAgentConfig, parseServiceConfig } from "./service-config.ts";

test("Y68 nothing said is the documented defaults", () => {
  const { provider, defaults, providers, lists } = parseServiceConfig({});
  expect(provider).toBe("local");
  expect(defaults).toEqual({
    bash: { cropOutput: 10_000, timeoutSeconds: 60 },
    persistent: { minInterval: 1, settleInterval: 2, maxInterval: 30 },
  });
  expect(providers).toEqual({ local: { type: "local" } });
  expect([lists.safe.size, lists.dangerous.size, lists.trusted.size]).toEqual([37, 12, 0]);
});

test("Y68 an agent's own settings stand over the service's, key by key", () => {
  const service = parseServiceConfig({
    agentDefaults: {
      provider: "box",
      bash: { timeoutSeconds: 20 },
      persistent: { maxInterval: 9 },
    },
  });
  const agent = parseAgentConfig({ bash: { cropOutput: 5_000 }, provider: "local" }, service);
  expect(agent).toEqual({
    provider: "local",
    defaults: {
      bash: { cropOutput: 5_000, timeoutSeconds: 20 },
      persistent: { minInterval: 1, settleInterval: 2, maxInterval: 9 },
    },
  });
});

test("Y68 it is strict, and tells everything that does not fit", () => {
  const wrong = { safeCommands: ["a b"], bash: {}, dangerousCommands: ["(?!x)"] };
  let warning = "";
  try {
    parseServiceConfig(wrong);
  } catch (error) {
    warning = String(error);
  }
  expect(warning).toMatch(/terminal\.safeCommands: \["a b"\] is not a list of programs' names/);
  expect(warning).toMatch(/terminal\.bash: unknown setting/);
  expect(warning).toMatch(/terminal\.dangerousCommands: .*not a regular expression/);
  expect(() => parseAgentConfig({ bash: { timeoutSeconds: 0 } }, parseServiceConfig({}))).toThrow(
    /terminal\.agentDefaults\.bash\.timeoutSeconds: 0 is not a number of seconds/,
  );
});

test("Y72 any type of provider is accepted; the settings of the service's own are checked", () => {
  const { providers, registeredTypes } = parseServiceConfig({
    providers: { local: { type: "local" }, far: { type: "ssh", host: "example.org" }, bare: 7 },
  });
  expect(providers).toEqual({ local: { type: "local" } });
  expect([...registeredTypes]).toEqual([
    ["far", "ssh"],
    ["bare", undefined],
  ]);
  const wrong = { far: { type: "ssh" }, box: { type: "sandbox", net: "none" } };
  expect(() => parseServiceConfig({ providers: wrong })).toThrow(/terminal\.providers/);
  expect(() => parseServiceConfig({ providers: { "a b": { type: "ssh" } } })).toThrow(/a b/);
  expect(() => parseServiceConfig({ providers: [] })).toThrow(/terminal\.providers/);
  expect(() => parseServiceConfig(null)).toThrow();
});
