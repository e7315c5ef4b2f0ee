import { expect, test } from "vitest";
import type { Terminal } from "../../protocol/terminal.ts";
import {
  allGone,
  closed,
  dismissed,
  endedBy,
  endedOnes,
  exited,
  known,
  listed,
  lostTo,
  takesInput,
  withoutClosed,
} from "./terminals.ts";

const never = (): boolean => false;
const always = (): boolean => true;
const terminal = (id: string, part: Partial<Terminal> = {}): Terminal => ({
  id,
  cwd: "/home/me",
  owner: "user",
  visible: true,
  createdAt: 1,
  ...part,
});
const ids = (all: ReturnType<typeof listed>): string[] => all.map((one) => one.terminal.id);

test("W2 the list is told whole: what is new is added in order, the rest keeps its place", () => {
  const first = listed(
    [],
    [terminal("b", { createdAt: 2 }), terminal("a", { createdAt: 1 })],
    never,
  );
  expect(ids(first)).toEqual(["a", "b"]);
  expect(ids(listed(first, [terminal("c"), terminal("b"), terminal("a")], never))).toEqual([
    "a",
    "b",
    "c",
  ]);
});

test("W92 tabs stand by their numbers, whichever came first", () => {
  const listedFirst = listed(
    [],
    [terminal("c", { number: 3 }), terminal("a", { number: 1 })],
    never,
  );
  expect(ids(known(listedFirst, terminal("b", { number: 2 })))).toEqual(["a", "b", "c"]);
});

test("W3 a terminal that ended while nobody told us stays if it was looked at", () => {
  const all = listed([], [terminal("a"), terminal("b")], never);
  expect(listed(all, [], (id) => id === "a")).toMatchObject([
    { terminal: { id: "a" }, ended: "gone" },
  ]);
});

test("W2 our own spawn is told twice and is one terminal", () => {
  expect(ids(known(known([], terminal("a")), terminal("a", { cols: 90 })))).toEqual(["a"]);
});

test("W5 the exit is kept, whichever message has it and in whichever order", () => {
  const exit = { exitCode: 3, signal: null };
  const all = known([], terminal("a"));
  const close = (before: typeof all, how?: typeof exit) =>
    closed(before, terminal("a"), how ?? "gone", never);
  expect(close(exited(all, "a", exit))[0]?.ended).toEqual(exit);
  expect(exited(close(all), "a", exit)[0]?.ended).toEqual(exit);
  expect(close(all, exit)[0]?.ended).toEqual(exit);
});

test("W5 an agent's background terminal that nobody opened goes without a trace", () => {
  const background = terminal("a", { owner: "agent", visible: false });
  expect(closed(known([], background), background, "gone", never)).toEqual([]);
  expect(closed(known([], background), background, "gone", always)).toHaveLength(1);
});

test("W2 a dismissed terminal does not come back with its late events", () => {
  const all = dismissed(known([], terminal("a")), "a");
  expect(closed(all, terminal("a"), "gone", always)).toEqual([]);
  expect(exited(all, "a", "gone")).toEqual([]);
});

test("W2 people type into what runs and is theirs", () => {
  expect(takesInput({ terminal: terminal("a") })).toBe(true);
  expect(takesInput({ terminal: terminal("a"), ended: "gone" })).toBe(false);
  expect(takesInput({ terminal: terminal("a", { owner: "agent" }) })).toBe(false);
  expect(takesInput(undefined)).toBe(false);
});

test("W41 a terminal that somebody closed is no failure, whatever signal it took", () => {
  const exit = { exitCode: null, signal: "SIGHUP" };
  const all = exited(known([], terminal("a")), "a", exit);
  const how = endedBy({ terminal: terminal("a"), exit, onPurpose: true });
  expect(closed(all, terminal("a"), how, always)[0]?.ended).toEqual({ ...exit, onPurpose: true });
  expect(endedBy({ terminal: terminal("a"), exit })).toEqual(exit);
  expect(endedBy({ terminal: terminal("a"), onPurpose: true })).toBe("gone");
});

test("GR9 GR36 terminals that somebody closed do not pile up: only what is in sight stays, until it is not", () => {
  const how = endedBy({
    terminal: terminal("a"),
    exit: { exitCode: null, signal: "SIGHUP" },
    onPurpose: true,
  });
  const both = known(known([], terminal("a")), terminal("b"));
  // Never opened on this page, or opened and left.
  expect(ids(closed(both, terminal("a"), how, never))).toEqual(["b"]);
  const opened = closed(both, terminal("a"), how, always);
  expect(ids(withoutClosed(opened, (id) => id === "a"))).toEqual(["a", "b"]);
  expect(ids(withoutClosed(opened, never))).toEqual(["b"]);
  // Failures stay even if never opened; clean exits do not.
  const ends = (exitCode: number, isOpened: () => boolean) =>
    ids(withoutClosed(closed(both, terminal("a"), { exitCode, signal: null }, isOpened), never));
  expect([ends(3, never), ends(0, never), ends(0, always)]).toEqual([
    ["a", "b"],
    ["b"],
    ["a", "b"],
  ]);
  expect(withoutClosed(both, never)).toBe(both);
});

test("WT4 WT48 what is kept from this page is not called ended, and is there again when it is shown again", () => {
  const all = known([], terminal("a"));
  const how = endedBy({ terminal: terminal("a", { cwd: "" }) });
  const hidden = closed(all, terminal("a", { cwd: "" }), how, always);
  expect(hidden[0]).toEqual({ terminal: terminal("a"), ended: "unseen" });
  expect(known(hidden, terminal("a"))).toEqual(all);
  expect(listed(hidden, [terminal("a")], always)).toEqual(all);
  // With edit rights, a missing terminal has ended.
  expect(listed(all, [], always, lostTo("edit"))[0]?.ended).toBe("gone");
  expect(listed(all, [], always, lostTo("view"))[0]?.ended).toBe("unseen");
  // An exit is final.
  const exit = { exitCode: 0, signal: null };
  expect(known(exited(all, "a", exit), terminal("a"))[0]?.ended).toEqual(exit);
});

test("W40 W42 with the host's end all are gone, how they ended before is kept, and all can be dismissed", () => {
  const exit = { exitCode: 3, signal: null };
  const all = exited(known(known([], terminal("a")), terminal("b")), "a", exit);
  expect(endedOnes(all)).toEqual(["a"]);
  const over = allGone(all);
  expect(over.map(({ ended }) => ended)).toEqual([exit, "gone"]);
  expect(endedOnes(over)).toEqual(["a", "b"]);
});
