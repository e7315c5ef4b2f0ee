// The texts about what a stop ended.

import { expect, test } from "vitest";
import type { Person } from "../../../protocol/room.ts";
import { listCountedTerminals, formatStopFacts, formatHangUp } from "./stop-texts.ts";
import { compact } from "../../../protocol/compact.ts";

const terminal = (command: string[] | undefined, title?: string) => ({
  id: "pty-000001",
  cwd: "/",
  owner: "user" as const,
  visible: true,
  createdAt: 0,
  ...compact({ command, title }),
});
const person: Pick<Person, "host"> = {};

test("TU33 C105 terminals by name, and how many guests were notified", () => {
  const list = () => [terminal(["npm", "run", "dev"]), terminal(undefined, "vim\u001B[2J notes")];
  const run = { listTerminals: list, people: [person, person, { host: true } as const] };
  expect(formatStopFacts(run)).toBe(
    "2 terminals ended (npm run dev, vim notes). 2 guests were notified.",
  );
  const alone = { listTerminals: () => [], people: [] };
  expect(formatStopFacts(alone)).toBe("No terminals were open.");
  // "Stop everything?" counts the same: an agent's feed is in neither.
  const all = [...list(), { ...terminal(["commands"]), feed: true }];
  expect(listCountedTerminals(all)).toEqual(list());
  expect(formatStopFacts({ ...run, listTerminals: () => all })).toBe(formatStopFacts(run));
});

test("TU50 after a hang-up it says what waits, for how long, and how to get it back", () => {
  expect(formatHangUp(0, 600_000)).toBe("Window closed. No terminals were open.");
  expect(formatHangUp(1, 600_000)).toBe(
    "Window closed. 1 terminal keeps running and waits 10 min: `pairpty` gets it back, `pairpty stop` ends it.",
  );
  expect(formatHangUp(2, 90_000)).toMatch(/2 terminals keep running and wait .*: .* ends them\.$/);
});

test("TU33 many names are cut short", () => {
  const list = () => Array.from({ length: 7 }, (_, at) => terminal([`${at}`.repeat(40)]));
  const words = formatStopFacts({ listTerminals: list, people: [person] });
  expect(words).toMatch(/^7 terminals ended \((\d{30}…, ){5}…\)\. 1 guest was notified\.$/);
});
