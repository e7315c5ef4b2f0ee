// The audit log on people's sockets: who gets it, and how much of it at once.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { spoken } from "../../../test/support/spoken.ts";
import type { AuditPage, PageRequest } from "../../audit/audit-log.ts";
import { Emitter } from "../../emitter.ts";
import { AuditDialect } from "./dialect.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const line = (event: string) => JSON.stringify({ at: "2026-01-01T00:00:00.000Z", event });

function world(page: AuditPage = { lines: [line("one"), "{cut", line("two")], before: "7-9" }) {
  const lines = new Emitter<[string]>();
  const requests: PageRequest[] = [];
  const dialect = new AuditDialect({
    readPage: (request) => {
      requests.push(request);
      return page;
    },
    onLine: (listener) => lines.add(listener),
  });
  const write = (event: string) => lines.fire(line(event));
  return { ...spoken(dialect), write, requests };
}

const takeMessages = ({ messages: all }: { messages: string[] }): { type: string }[] =>
  all.splice(0).map((text) => JSON.parse(text));

test("GR33 an edit link opens the log, reads on before its first entry, and hears what comes", () => {
  const { say, come, write, requests } = world();
  const ana = come({ role: "edit" });
  write("before anybody looked");
  say(ana, { type: "audit:open", limit: 50 });
  expect(takeMessages(ana)).toEqual([
    {
      type: "audit:entries",
      before: "7-9",
      isOlder: false,
      entries: [
        expect.objectContaining({ event: "one" }),
        expect.objectContaining({ event: "two" }),
      ],
    },
  ]);
  write("three");
  vi.advanceTimersByTime(200);
  expect(takeMessages(ana)).toEqual([
    { type: "audit:entry", entry: expect.objectContaining({ event: "three" }) },
  ]);
  say(ana, { type: "audit:open", before: "7-9", limit: 10 });
  expect(takeMessages(ana)).toMatchObject([{ isOlder: true }]);
  expect(requests.map(({ before, limit }) => [before, limit])).toEqual([
    [undefined, 50],
    ["7-9", 10],
  ]);
  say(ana, { type: "audit:close" });
  write("four");
  vi.advanceTimersByTime(200);
  expect(takeMessages(ana)).toEqual([]);
});

test("GR35 view links, and sockets of this machine, are refused; so is nonsense", () => {
  const { say, come, requests } = world();
  for (const caller of [come({ role: "view" }), come({ role: "edit" }, "terminal")]) {
    say(caller, { type: "audit:open", limit: 5 });
    expect(takeMessages(caller)).toMatchObject([{ type: "audit:error", code: "forbidden" }]);
  }
  const ana = come({ role: "edit" });
  for (const part of [{}, { limit: 0 }, { limit: 201 }, { limit: 5, before: "x".repeat(65) }]) {
    say(ana, { type: "audit:open", ...part });
    expect(takeMessages(ana)).toMatchObject([{ type: "audit:error", code: "bad_request" }]);
  }
  expect(requests).toEqual([]);
});

test("GR34 GR35 very much at once is told as a number, and whoever lost the right hears no more", () => {
  const { say, changed, end, come, write } = world();
  const ana = come({ role: "edit" });
  say(ana, { type: "audit:open", limit: 5 });
  takeMessages(ana);
  for (let count = 0; count < 45; count += 1) write(`${count}`);
  vi.advanceTimersByTime(200);
  const received = takeMessages(ana);
  expect(received).toHaveLength(31);
  expect(received.at(-1)).toEqual({ type: "audit:skipped", count: 15 });
  ana.revoke();
  changed(ana);
  write("after");
  vi.advanceTimersByTime(200);
  expect(takeMessages(ana)).toMatchObject([{ type: "audit:error", code: "forbidden" }]);
  end();
  expect(vi.getTimerCount()).toBe(0);
});
