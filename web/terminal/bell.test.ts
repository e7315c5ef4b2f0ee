import { expect, onTestFinished, test } from "vitest";
import { changeSettings, DEFAULTS } from "../settings/settings.ts";
import { ringBell } from "./bell.ts";

test("FR5 a bell flashes where its person wants that, twice a second at most", () => {
  onTestFinished(() => changeSettings(DEFAULTS));
  let flashes = 0;
  const host = { animate: () => ((flashes += 1), Object.create(null)) };
  ringBell(host, 1_000);
  expect(flashes).toBe(0);
  changeSettings({ bell: "flash" });
  for (const at of [1_000, 1_100, 1_499, 1_500, 1_900, 2_000]) ringBell(host, at);
  expect(flashes).toBe(3);
});
