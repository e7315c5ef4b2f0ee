// What the log contains about panels, and what it never contains.

import { expect, test } from "vitest";
import { PanelDebugLog } from "./panel-debug-log.ts";
import type { PanelAddress } from "./panel-targets.ts";

const PLACE: PanelAddress = { panelId: "p\n1", scope: "session", scopeId: "s" };

function logged(isDebugged = true) {
  const lines: string[] = [];
  const clock = { now: 5_000 };
  const log = new PanelDebugLog({
    isDebugged,
    log: { info: (line) => void lines.push(line) },
    now: () => clock.now,
  });
  return { log, lines, clock };
}

test("Z52 a text is logged by its size, and a panel's name stays on its line", () => {
  const { log, lines } = logged();
  log.received(PLACE, { type: "terminal_input", text: "geheim ä" });
  log.sent(PLACE, { type: "terminal_status", state: "error", message: "no\nshell" });
  expect(lines).toEqual([
    String.raw`panel session:s::p\n1: received terminal_input, 9 bytes`,
    String.raw`panel session:s::p\n1: sent terminal_status error: "no\nshell"`,
  ]);
});

test("Z53 of many events the log has 20 a second, and says how many it left out", () => {
  const { log, lines, clock } = logged();
  for (let each = 0; each < 10_000; each += 1) {
    log.received(PLACE, { type: "terminal_input", text: "x" });
  }
  expect(lines).toHaveLength(20);
  log.lifecycle(PLACE, "no terminal started");
  expect(lines.at(-1)).toMatch(/no terminal started \(9980 events before this not logged\)$/);
  clock.now += 1_000;
  log.received(PLACE, { type: "panel_lifecycle", state: "closed" });
  expect(lines.at(-1)).toMatch(/received panel_lifecycle closed$/);
});

test("Z50 without the setting nothing is logged", () => {
  const { log, lines } = logged(false);
  log.received(PLACE, { type: "panel_lifecycle", state: "opened" });
  log.lifecycle(PLACE, "x");
  expect(lines).toEqual([]);
});
