import { expect, onTestFinished, test } from "vitest";
import { setFaultLog } from "./faults.ts";
import { Emitter } from "./emitter.ts";
import { Watchers } from "./terminals/terminal-table.ts";

function recordFaults(): string[] {
  const faults: string[] = [];
  onTestFinished(setFaultLog({ error: (line) => void faults.push(line) }));
  return faults;
}

test("U8 a listener that throws is logged, and neither the others nor the teller notice", () => {
  const faults = recordFaults();
  const news = new Emitter<[string]>();
  const received: string[] = [];
  news.add((text) => void received.push(`first ${text}`));
  const end = news.add(() => {
    throw new Error("out of order");
  });
  news.add((text) => void received.push(`last ${text}`));
  news.fire("a");
  expect(received).toEqual(["first a", "last a"]);
  expect(faults).toEqual([expect.stringMatching(/^bug: a listener: Error: out of order\n/)]);
  end();
  news.fire("b");
  expect(received).toEqual(["first a", "last a", "first b", "last b"]);
  expect(faults).toHaveLength(1);
});

test("U8 the same of those who watch one terminal, at its end too", () => {
  const faults = recordFaults();
  const watchers = new Watchers<object>();
  const terminal = {};
  let calls = 0;
  watchers.watch(terminal, () => {
    throw new Error("no");
  });
  watchers.watch(terminal, () => void calls++);
  watchers.notify(terminal);
  watchers.end(terminal);
  expect(calls).toBe(2);
  expect(faults).toHaveLength(2);
});
