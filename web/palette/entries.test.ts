import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { CommandContext, Command } from "../commands/command.ts";
import { KINDS } from "../kinds.ts";
import { Store } from "../session/store.ts";
import { putTerminal, toTerminalView } from "../session/terminal-list.ts";
import type { PaletteEntry } from "./entries.ts";
import {
  commandEntries,
  orderEntries,
  rankEntries,
  addRecent,
  viewEntries,
  match,
} from "./entries.ts";

const entry = (id: string, refusal?: string): PaletteEntry => ({
  id,
  title: id,
  ...(refusal !== undefined && { refusal }),
  run: () => {},
});

function aim(): CommandContext {
  const store = new Store("work", undefined, KINDS);
  const terminal = { id: "pty-1", cwd: "/work/shop", owner: "user", visible: true } as const;
  store.updateTerminals((all) => putTerminal(all, { ...terminal, createdAt: 1, number: 1 }));
  const session = {
    store,
    link: "",
    send: () => true,
    spawn: async () => true,
    close: async () => {},
  };
  return { session, view: undefined };
}

test("FR12 without anything typed what was used last comes first, then what can be done", () => {
  const all = [entry("one", "not now"), entry("two"), entry("three")];
  const ids = (typed: string, recent: string[]) =>
    rankEntries(all, typed, recent).map((row) => row.entry.id);
  expect(ids("", [])).toEqual(["two", "three", "one"]);
  expect(ids("", ["three", "gone"])).toEqual(["three", "two", "one"]);
  expect(ids("one", ["three"])).toEqual(["one"]);
  expect(addRecent(["a", "b"], "b")).toEqual(["b", "a"]);
  expect(addRecent("a b c d e f g h".split(" "), "x")).toHaveLength(8);
});

test("FR13 a command is found by other words for it, before what only has the letters", () => {
  const settings = { ...entry("Settings for this browser"), words: "theme font bell" };
  const all = [settings, entry("Open a terminal"), entry("Watch the game")];
  const ids = (typed: string) => rankEntries(all, typed, []).map((row) => row.entry.id);
  expect(ids("theme")).toEqual(["Settings for this browser", "Watch the game"]);
  expect(ids("browser FON")).toEqual(["Settings for this browser"]);
  expect(ids("hem")).toEqual(["Watch the game"]);
  expect(ids("font size")).toEqual([]);
});

test("FR12 many tabs do not hide the commands", () => {
  const tabs = Array.from({ length: 15 }, (_, at) => entry(`go ${at}`));
  const ids = orderEntries(tabs, [entry("open"), entry("close")]).map(({ id }) => id);
  expect(ids.slice(0, 7)).toEqual(["go 0", "go 1", "go 2", "go 3", "open", "close", "go 4"]);
  expect(ids).toHaveLength(17);
});

test("FR14 commands say why they cannot be done, and every tab is a destination", () => {
  const here = aim();
  const done: string[] = [];
  const commands: Command[] = [
    { id: "page.yes", title: "Yes", keys: "Alt+Y", run: () => void done.push("yes") },
    { id: "terminal.x", title: "X", keys: "Alt+X", isEnabled: () => false, run: () => {} },
    { id: "page.on", title: "On, or off", keys: "Alt+F", currentTitle: () => "Off", run: () => {} },
    { id: "page.no", title: "No", keys: "Alt+M", refusal: () => "Read-only.", run: () => {} },
    { id: "terminal.copy", title: "The browser copies", keys: "Control+Shift+C" },
  ];
  const rows = commandEntries(commands, here);
  expect(rows.map(({ id, refusal }) => [id, refusal])).toEqual([
    ["page.yes", undefined],
    ["terminal.x", "Works only in a terminal"],
    ["page.on", undefined],
    ["page.no", "Read-only."],
  ]);
  // A toggle shows what it would do now, and is found by both of its titles.
  expect(rows[2]).toMatchObject({ title: "Off", words: "On, or off" });
  rows[0]?.run();
  expect(done).toEqual(["yes"]);
  const [place] = viewEntries(here);
  expect(place?.title).toBe("Go to shop");
  place?.run();
  expect(here.session.store.views.isActive(toTerminalView("pty-1"))).toBe(true);
});

const best = (typed: string, ...texts: string[]): string | undefined =>
  texts
    .flatMap((text) => {
      const found = match(typed, text);
      return found ? { text, score: found.score } : [];
    })
    .toSorted((a, b) => b.score - a.score)[0]?.text;

test("FR13 beginnings of words and runs of letters fit better than letters here and there", () => {
  expect(best("ot", "Copy the output", "Open a terminal")).toBe("Open a terminal");
  expect(best("next", "Not an extension", "Next tab")).toBe("Next tab");
  expect(best("tab prev", "Next tab", "Previous tab")).toBe("Previous tab");
  expect(best("tab", "Previous tab", "Next tab")).toBe("Next tab");
  expect(match("xyz", "Open a terminal")).toBeUndefined();
  expect(match("OPEN", "open")?.matchedAt).toEqual([0, 1, 2, 3]);
  expect(match("  ", "anything")?.matchedAt).toEqual([]);
});

test("FR13 what fits are letters of the text, in their order, and every text fits itself", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), fc.string({ maxLength: 6 }), (text, typed) => {
      const found = match(typed, text);
      const lower = text.toLowerCase();
      if (!found || lower.length !== text.length) return;
      for (const at of found.matchedAt) expect(typed.toLowerCase()).toContain(lower[at]);
      expect([...found.matchedAt]).toEqual([...new Set(found.matchedAt)].toSorted((a, b) => a - b));
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z ]{1,30}$/), (text) => {
      expect(match(text, text)).toBeDefined();
    }),
  );
});
