import { expect, test } from "vitest";
import type { Terminal } from "../../protocol/terminal.ts";
import {
  markAllGone,
  closeTerminal,
  removeTerminal,
  toTerminalEnd,
  listEnded,
  markExited,
  putTerminal,
  mergeTerminals,
  getLostState,
  isCountedRunning,
  takesInput,
  dropClosed,
} from "./terminal-list.ts";

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
const ids = (all: ReturnType<typeof mergeTerminals>): string[] => all.map((one) => one.terminal.id);

test("W2 the list is told whole: what is new is added in order, the rest keeps its place", () => {
  const first = mergeTerminals(
    [],
    [terminal("b", { createdAt: 2 }), terminal("a", { createdAt: 1 })],
    never,
  );
  expect(ids(first)).toEqual(["a", "b"]);
  expect(ids(mergeTerminals(first, [terminal("c"), terminal("b"), terminal("a")], never))).toEqual([
    "a",
    "b",
    "c",
  ]);
});

test("W92 tabs stand by their numbers, whichever came first", () => {
  const listedFirst = mergeTerminals(
    [],
    [terminal("c", { number: 3 }), terminal("a", { number: 1 })],
    never,
  );
  expect(ids(putTerminal(listedFirst, terminal("b", { number: 2 })))).toEqual(["a", "b", "c"]);
});

test("W3 a terminal that ended while no one told us stays if it was looked at", () => {
  const all = mergeTerminals([], [terminal("a"), terminal("b")], never);
  expect(mergeTerminals(all, [], (id) => id === "a")).toMatchObject([
    { terminal: { id: "a" }, ended: "gone" },
  ]);
});

test("W2 our own spawn is told twice and is one terminal", () => {
  expect(ids(putTerminal(putTerminal([], terminal("a")), terminal("a", { cols: 90 })))).toEqual([
    "a",
  ]);
});

test("W5 the exit is kept, whichever message has it and in whichever order", () => {
  const exit = { exitCode: 3, signal: null };
  const all = putTerminal([], terminal("a"));
  const close = (before: typeof all, how?: typeof exit) =>
    closeTerminal(before, terminal("a"), how ?? "gone", never);
  expect(close(markExited(all, "a", exit))[0]?.ended).toEqual(exit);
  expect(markExited(close(all), "a", exit)[0]?.ended).toEqual(exit);
  expect(close(all, exit)[0]?.ended).toEqual(exit);
});

test("W5 an agent's background terminal that no one opened goes without a trace", () => {
  const background = terminal("a", { owner: "agent", visible: false });
  expect(closeTerminal(putTerminal([], background), background, "gone", never)).toEqual([]);
  expect(closeTerminal(putTerminal([], background), background, "gone", always)).toHaveLength(1);
});

test("W2 a dismissed terminal does not come back with its late events", () => {
  const all = removeTerminal(putTerminal([], terminal("a")), "a");
  expect(closeTerminal(all, terminal("a"), "gone", always)).toEqual([]);
  expect(markExited(all, "a", "gone")).toEqual([]);
});

test("W2 people type into what runs and is theirs", () => {
  expect(takesInput({ terminal: terminal("a") })).toBe(true);
  expect(takesInput({ terminal: terminal("a"), ended: "gone" })).toBe(false);
  expect(takesInput({ terminal: terminal("a", { owner: "agent" }) })).toBe(false);
  expect(takesInput(undefined)).toBe(false);
});

test("W41 a terminal that someone closed is no failure, whatever signal it took", () => {
  const exit = { exitCode: null, signal: "SIGHUP" };
  const all = markExited(putTerminal([], terminal("a")), "a", exit);
  const how = toTerminalEnd({ terminal: terminal("a"), exit, onPurpose: true });
  expect(closeTerminal(all, terminal("a"), how, always)[0]?.ended).toEqual({
    ...exit,
    onPurpose: true,
  });
  expect(toTerminalEnd({ terminal: terminal("a"), exit })).toEqual(exit);
  expect(toTerminalEnd({ terminal: terminal("a"), onPurpose: true })).toBe("gone");
});

test("GR9 GR36 terminals that someone closed do not pile up: only what is in sight stays, until it is not", () => {
  const how = toTerminalEnd({
    terminal: terminal("a"),
    exit: { exitCode: null, signal: "SIGHUP" },
    onPurpose: true,
  });
  const both = putTerminal(putTerminal([], terminal("a")), terminal("b"));
  // Never opened on this page, or opened and left.
  expect(ids(closeTerminal(both, terminal("a"), how, never))).toEqual(["b"]);
  const opened = closeTerminal(both, terminal("a"), how, always);
  expect(ids(dropClosed(opened, (id) => id === "a"))).toEqual(["a", "b"]);
  expect(ids(dropClosed(opened, never))).toEqual(["b"]);
  // Failures stay even if never opened; clean exits do not.
  const ends = (exitCode: number, isOpened: () => boolean) =>
    ids(
      dropClosed(closeTerminal(both, terminal("a"), { exitCode, signal: null }, isOpened), never),
    );
  expect([ends(3, never), ends(0, never), ends(0, always)]).toEqual([
    ["a", "b"],
    ["b"],
    ["a", "b"],
  ]);
  expect(dropClosed(both, never)).toBe(both);
});

test("WT4 WT48 what is kept from this page is not called ended, and is there again when it is shown again", () => {
  const all = putTerminal([], terminal("a"));
  const how = toTerminalEnd({ terminal: terminal("a", { cwd: "" }) });
  const hidden = closeTerminal(all, terminal("a", { cwd: "" }), how, always);
  expect(hidden[0]).toEqual({ terminal: terminal("a"), ended: "unseen" });
  expect(putTerminal(hidden, terminal("a"))).toEqual(all);
  expect(mergeTerminals(hidden, [terminal("a")], always)).toEqual(all);
  // With edit rights, a missing terminal has ended.
  expect(mergeTerminals(all, [], always, getLostState("edit"))[0]?.ended).toBe("gone");
  expect(mergeTerminals(all, [], always, getLostState("view"))[0]?.ended).toBe("unseen");
  // An exit is final.
  const exit = { exitCode: 0, signal: null };
  expect(putTerminal(markExited(all, "a", exit), terminal("a"))[0]?.ended).toEqual(exit);
});

test("W40 W42 with the host's end all are gone, how they ended before is kept, and all can be dismissed", () => {
  const exit = { exitCode: 3, signal: null };
  const all = markExited(putTerminal(putTerminal([], terminal("a")), terminal("b")), "a", exit);
  expect(listEnded(all)).toEqual(["a"]);
  const over = markAllGone(all);
  expect(over.map(({ ended }) => ended)).toEqual([exit, "gone"]);
  expect(listEnded(over)).toEqual(["a", "b"]);
});

test("TU49 the page counts terminals as the host does: a mirror of commands and ended ones do not count", () => {
  const all = mergeTerminals(
    [],
    [terminal("a"), terminal("b", { feed: true, owner: "agent" }), terminal("c")],
    never,
  );
  const left = markExited(all, "c", { exitCode: 0, signal: null });
  expect(ids(left.filter(isCountedRunning))).toEqual(["a"]);
});
