import { expect, onTestFinished, test } from "vitest";
import { change, DEFAULTS } from "../settings/settings.ts";
import { ring } from "./bell.ts";

test("FR5 a bell flashes where its person wants that, twice a second at most", () => {
  onTestFinished(() => change(DEFAULTS));
  let flashes = 0;
  const host = { animate: () => ((flashes += 1), Object.create(null)) };
  ring(host, 1_000);
  expect(flashes).toBe(0);
  change({ bell: "flash" });
  for (const at of [1_000, 1_100, 1_499, 1_500, 1_900, 2_000]) ring(host, at);
  expect(flashes).toBe(3);
});
