import { expect, test } from "vitest";
import type { Terminal } from "../../protocol/terminal.ts";
import {
  beside,
  closed,
  dismissed,
  exited,
  known,
  listed,
  printed,
  shown,
  stepped,
} from "./tabs.ts";

const terminal = (id: string, part: Partial<Terminal> = {}): Terminal => ({
  id,
  cwd: "/home/me",
  owner: "user",
  visible: true,
  createdAt: 1,
  ...part,
});
const ids = (tabs: ReturnType<typeof listed>): string[] => tabs.map((tab) => tab.terminal.id);

test("W2 the list is told whole: what is new is added in order, the rest keeps its place", () => {
  const first = listed([], [terminal("b", { createdAt: 2 }), terminal("a", { createdAt: 1 })]);
  expect(ids(first)).toEqual(["a", "b"]);
  expect(ids(listed(first, [terminal("c"), terminal("b"), terminal("a")]))).toEqual([
    "a",
    "b",
    "c",
  ]);
});

test("W10 tabs stand by their numbers, whichever came first", () => {
  const listedFirst = listed([], [terminal("c", { number: 3 }), terminal("a", { number: 1 })]);
  expect(ids(known(listedFirst, terminal("b", { number: 2 })))).toEqual(["a", "b", "c"]);
});

test("W3 a terminal that ended while nobody told us stays if it was looked at", () => {
  const tabs = shown(listed([], [terminal("a"), terminal("b")]), "a");
  expect(listed(tabs, [])).toMatchObject([{ terminal: { id: "a" }, ended: "gone" }]);
});

test("W2 our own spawn is told twice and is one tab", () => {
  expect(ids(known(known([], terminal("a")), terminal("a", { cols: 90 })))).toEqual(["a"]);
});

test("W5 the exit is kept, whichever message has it and in whichever order", () => {
  const exit = { exitCode: 3, signal: null };
  const tabs = known([], terminal("a"));
  expect(closed(exited(tabs, "a", exit), terminal("a"))[0]?.ended).toEqual(exit);
  expect(exited(closed(tabs, terminal("a")), "a", exit)[0]?.ended).toEqual(exit);
  expect(closed(tabs, terminal("a"), exit)[0]?.ended).toEqual(exit);
});

test("W5 an agent's background terminal that nobody opened goes without a trace", () => {
  const background = terminal("a", { owner: "agent", visible: false });
  expect(closed(known([], background), background)).toEqual([]);
  expect(closed(shown(known([], background), "a"), background)).toHaveLength(1);
});

test("W2 a dismissed terminal does not come back with its late events", () => {
  const tabs = dismissed(known([], terminal("a")), "a");
  expect(closed(tabs, terminal("a"))).toEqual([]);
  expect(exited(tabs, "a", "gone")).toEqual([]);
});

test("W2 stepping goes around, and a closed tab gives way to its neighbour", () => {
  const tabs = ["a", "b", "c"].reduce((all, id) => known(all, terminal(id)), listed([], []));
  expect(stepped(tabs, "c", 1)).toBe("a");
  expect(stepped(tabs, "a", -1)).toBe("c");
  expect(stepped([], undefined, 1)).toBeUndefined();
  expect(beside(tabs, "b")).toBe("c");
  expect(beside(tabs, "c")).toBe("b");
});

test("W2 new output marks a tab until it is shown", () => {
  const tabs = printed(known([], terminal("a")), "a");
  expect(tabs[0]?.unread).toBe(true);
  expect(printed(tabs, "a")).toBe(tabs);
  expect(shown(tabs, "a")[0]?.unread).toBe(false);
});
