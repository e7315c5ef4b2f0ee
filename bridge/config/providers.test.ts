// Providers in the settings: the minimum isolation for agents, and their own settings over the
// general ones.

import { expect, test } from "vitest";
import { toIsolationSettings } from "./agent-options.ts";
import { parseData } from "./parse-settings.ts";

const PATHS = { readable: [], rootfs: undefined };

function isolation(file: object) {
  const { values, problems } = parseData("f.json", file);
  expect(problems).toEqual([]);
  return toIsolationSettings(values, PATHS);
}

const providers = {
  local: { type: "local" },
  box: { type: "sandbox", network: "host" },
  ship: { type: "container", image: "debian:12" },
};

test("K17 the default provider's type is the least wall of what agents start", () => {
  const floor = (provider: string, level = "none") =>
    isolation({
      terminal: { agentDefaults: { provider }, providers },
      agents: { isolation: level },
    }).floor;
  expect([floor("local"), floor("box"), floor("ship")]).toEqual(["none", "sandbox", "container"]);
  expect([floor("local", "sandbox"), floor("box", "container")]).toEqual(["sandbox", "container"]);
  expect(isolation({}).floor).toBe("none");
});

test("K32 its own settings stand over those for all", () => {
  const all = { sandbox: { network: "none" }, container: { image: "alpine" } };
  const by = (provider: string) =>
    isolation({ terminal: { agentDefaults: { provider }, providers }, ...all });
  expect([by("local").network, by("local").container.image]).toEqual(["none", "alpine"]);
  expect([by("box").network, by("box").container.image]).toEqual(["host", "alpine"]);
  expect([by("ship").network, by("ship").container.image]).toEqual(["none", "debian:12"]);
});
