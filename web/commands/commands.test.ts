import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Role } from "../../protocol/grant.ts";
import type { SpawnBody } from "../../protocol/pty-requests.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import { COMMANDS, KINDS } from "../kinds.ts";
import type { PageRequest } from "../session/messages.ts";
import type { SessionActions } from "../session/session.ts";
import { Store } from "../session/store.ts";
import { markExited, putTerminal, toTerminalView } from "../session/terminal-list.ts";
import type { Command } from "./command.ts";
import { createContext, getHints, runCommand, getTitle, formatKeys } from "./command.ts";
import { Commands } from "./commands.ts";
import { FRAME_COMMANDS } from "./frame-commands.ts";

const commands = new Commands(COMMANDS);

/** Returns a page with these terminals, and the requests that it made. */
function page(role: Role, ...terminals: Partial<Terminal>[]) {
  const store = new Store("work", undefined, KINDS);
  const sent: (PageRequest | ({ type: "spawn" } & SpawnBody) | string)[] = [];
  const session: SessionActions = {
    store,
    link: "",
    send: (request) => sent.push(request) > 0,
    spawn: async (request, place) => {
      sent.push(request ? { ...request, type: "spawn" } : "spawn");
      place?.("pty-new");
      return true;
    },
    close: async (id) => void sent.push(`close ${id}`),
  };
  store.connection.value = { state: "live" };
  store.isListed.value = true;
  store.role.value = role;
  store.terminals.value = [];
  terminals.forEach((part, at) =>
    store.updateTerminals((all) =>
      putTerminal(all, {
        id: `pty-${at + 1}`,
        cwd: "/work",
        owner: "user",
        visible: true,
        createdAt: at,
        number: at + 1,
        ...part,
      }),
    ),
  );
  const run = (id: string, digit?: number): void =>
    runCommand(byId(id), createContext(session, undefined, digit));
  const toasts = () => store.toasts.all.value.map(({ text }) => text);
  return { store, session, sent, run, toasts };
}

function byId(id: string): Command {
  const command = commands.all.find((one) => one.id === id);
  if (!command) throw new Error(`no command ${id}`);
  return command;
}

const press = (key: string, code: string, part = {}) => ({
  key,
  code,
  altKey: true,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  ...part,
});

test("W2 W104 Alt with a key commands the page; every other key is the terminal's", () => {
  const pressed = (key: string, code: string, part = {}) =>
    commands.findPressed(press(key, code, part))?.id;
  expect(pressed("n", "KeyN")).toBe("terminal.open");
  expect(pressed("w", "KeyW")).toBe("view.close");
  expect(pressed("/", "Slash")).toBe("page.help");
  expect(pressed("o", "KeyO")).toBe("terminal.type");
  expect(pressed("3", "Digit3")).toBe("view.pick");
  expect(pressed("0", "Digit0")).toBe("page.tabs");
  expect(pressed("ArrowLeft", "ArrowLeft")).toBe("view.previous");
  expect(pressed("f", "KeyF")).toBeUndefined();
  expect(pressed("Delete", "Delete", { altKey: false })).toBeUndefined();
  // Keys of the terminal and the browser are listed in the help and not taken from them.
  expect(pressed("C", "KeyC", { altKey: false, ctrlKey: true, shiftKey: true })).toBeUndefined();
  expect(commands.listByScope("page").map(({ id }) => id)).toContain("terminal.copy");
});

test("W20 in the tabs plain keys are commands", () => {
  const pressed = (key: string) =>
    commands.findPressed(press(key, key, { altKey: false }), "tabs")?.id;
  expect(pressed("ArrowRight")).toBe("tabs.next");
  expect(pressed("Delete")).toBe("tabs.close");
  expect(pressed("Enter")).toBeUndefined();
});

test("W20 the table of keys in the documents is the page's own", () => {
  const text = readFileSync("docs/getting-started.md", "utf8");
  const table = /\| in the page .*\n.*\n((?:\|.*\n)+)/.exec(text)?.[1] ?? "";
  const rows = table.trim().split("\n");
  expect(rows.map((row) => row.split("|").map((cell) => cell.trim()))).toEqual(
    commands.listByScope("page").map(({ keys, title }) => ["", formatKeys(keys), title, ""]),
  );
});

test("W102 no two commands have one name or one key", () => {
  const [taken] = FRAME_COMMANDS;
  if (!taken) throw new Error("no commands");
  expect(() => new Commands([{ ...taken, keys: "Alt+Q" }])).toThrow(taken.id);
  expect(() => new Commands([{ ...taken, id: "another" }])).toThrow(taken.keys);
  expect(() => new Commands([{ ...taken, id: "another", scope: "tabs" }])).not.toThrow();
});

test("W20 a button's tooltip and its shortcut for screen readers are the command's", () => {
  const open = byId("terminal.open");
  expect(getHints(open)).toEqual({
    title: "Open a terminal (Alt+N)",
    "aria-keyshortcuts": "Alt+N",
  });
  expect(getHints(open, "Another").title).toBe("Another (Alt+N)");
});

test("W103 a refused command is not run, and says why", () => {
  const { store, sent, run, toasts } = page("view", {});
  run("terminal.open");
  run("view.close");
  run("terminal.type");
  expect(sent).toEqual([]);
  expect(store.dialog.value).toBeUndefined();
  expect(toasts()).toEqual([
    "Read-only: this link cannot open terminals. Ask the host for an Edit link.",
    "Read-only: this link cannot close terminals. Ask the host for an Edit link.",
    "Read-only: this link cannot type. Ask the host for an Edit link.",
  ]);
});

test("PE45 who was limited to watching reads that it is not the link's doing, and whom to ask", () => {
  const { store, sent, run, toasts } = page("view", {});
  store.people.you.value = {
    type: "room:you",
    you: "a",
    label: "ana",
    role: "view",
    limited: true,
  };
  const shown = ["terminal.type", "terminal.open", "view.close", "page.recordings"].map((id) => {
    run(id);
    return toasts().join("|");
  });
  expect(sent).toEqual([]);
  expect(shown).toEqual(
    ["type", "open terminals", "close terminals", "open recordings"].map(
      (deed) =>
        `Read-only: this browser was limited to watching and cannot ${deed}. Ask the host to let you type again.`,
    ),
  );
});

test("W20 a command that has nothing to do does nothing, and says nothing", () => {
  const { store, sent, run, toasts } = page("edit", { owner: "agent" });
  run("terminal.type");
  run("view.pick", 7);
  expect([sent, toasts()]).toEqual([[], []]);
  store.inputHold.isOpening.value = true;
  run("terminal.open");
  expect(sent).toEqual([]);
  expect(toasts()).toEqual([expect.stringContaining("still being opened")]);
});

test("Z58 what a toggle would do now is its title, as its terminal stands", () => {
  const titles = (part: Partial<Terminal>) => {
    const { session } = page("edit", part);
    return ["terminal.private", "terminal.pin", "terminal.agents-type", "terminal.record"].map(
      (id) => getTitle(byId(id), createContext(session)),
    );
  };
  expect(titles({})).toEqual([
    "Make private (Edit links only)",
    "Lock size",
    "Let agents type here",
    "Start recording",
  ]);
  const recording = { by: "Ana", since: 0 };
  expect(titles({ private: true, pinned: true, agentsType: [], recording })).toEqual([
    "Show to agents and View links again",
    "Unlock size",
    "Stop agents from typing here",
    "Stop recording",
  ]);
});

test("W2 a terminal is opened, picked, stepped to and closed", () => {
  const { store, sent, run } = page("edit", {}, {}, {});
  const current = () => store.views.current.value;
  run("view.pick", 3);
  expect([current(), store.views.focus.value]).toEqual([toTerminalView("pty-3"), 1]);
  run("view.next");
  expect(current()).toEqual(toTerminalView("pty-1"));
  run("view.previous");
  expect(current()).toEqual(toTerminalView("pty-3"));
  run("terminal.open");
  run("view.close");
  expect(sent).toEqual(["spawn"]);
  const dialog = store.dialog.value;
  if (dialog?.kind !== "confirm") throw new Error("nothing was asked");
  expect(dialog.question()?.title).toBe("Close work #3?");
  dialog.question()?.run();
  expect(sent).toEqual(["spawn", "close pty-3"]);
  // Another person closed it first.
  store.dismiss("pty-3");
  expect(dialog.question()).toBeUndefined();
});

test("WT46 WT16 WT47 an ended terminal starts again as it was, and makes way; an agent's does not", async () => {
  const command = ["npm", "run", "dev"];
  const { store, sent, run } = page("edit", { command, cwd: "/a", private: true, name: "dev" });
  run("terminal.restart");
  expect(sent).toEqual([]);
  store.updateTerminals((all) => markExited(all, "pty-1", { exitCode: 1, signal: null }));
  run("terminal.restart");
  await expect.poll(() => store.findTerminal("pty-1")).toBeUndefined();
  expect(sent).toEqual([
    { type: "spawn", command, cwd: "/a", private: true },
    { type: "pty:rename", id: "pty-new", name: "dev" },
  ]);
  for (const part of [
    { owner: "agent" },
    { isolation: "sandbox" },
    { startedBy: "Ada" },
  ] as const) {
    const other = page("edit", part);
    other.store.updateTerminals((all) => markExited(all, "pty-1", "gone"));
    other.run("terminal.restart");
    expect(other.sent).toEqual([]);
  }
  const viewer = page("view", {});
  viewer.store.updateTerminals((all) => markExited(all, "pty-1", "gone"));
  viewer.run("terminal.restart");
  expect([viewer.sent, viewer.toasts()]).toEqual([
    [],
    ["Read-only: this link cannot open terminals. Ask the host for an Edit link."],
  ]);
});

test("Z57 a terminal is hidden at once, and shown again once the person has read what that shows", () => {
  const { store, sent, run } = page("edit", {});
  run("terminal.private");
  expect(sent.splice(0)).toEqual([{ type: "pty:private", id: "pty-1", on: true }]);
  const other = page("edit", { private: true });
  other.run("terminal.private");
  const dialog = other.store.dialog.value;
  if (dialog?.kind !== "confirm") throw new Error("nothing was asked");
  expect([store.dialog.value, other.sent]).toEqual([undefined, []]);
  expect(dialog.question()?.text).toContain("what was printed while it was private");
  dialog.question()?.run();
  expect(other.sent).toEqual([{ type: "pty:private", id: "pty-1", on: false }]);
});

test("W107 a command acts on the view whose button it was, not on the one in use", () => {
  const { store, session } = page("edit", {}, {});
  runCommand(byId("view.close"), createContext(session, toTerminalView("pty-2")));
  const dialog = store.dialog.value;
  expect(dialog?.kind === "confirm" && dialog.question()?.title).toBe("Close work #2?");
  expect(store.views.current.value).toEqual(toTerminalView("pty-1"));
});

test("W79 W80 one key takes over typing, and hands it to who asked last", () => {
  const { store, sent, run } = page("edit", {});
  const [id, peer] = ["pty-1", 7];
  run("terminal.type");
  expect(sent.splice(0)).toEqual([{ type: "pty:drive", id }]);
  store.you.value = 1;
  store.onDriver({ type: "pty:driver", id, driver: 1, viewers: 2 });
  run("terminal.type");
  expect(sent).toEqual([]);
  store.onAsked({ type: "pty:asked", id, peer, label: "ben" });
  run("terminal.type");
  expect(sent).toEqual([{ type: "pty:give", id, peer }]);
  expect(store.controlRequests.value).toEqual([]);
});

test("W104 a key whose command has nothing to do is the terminal's; one that is under way is not", () => {
  const { store, session } = page("edit", {});
  const takes = (letter: string) =>
    commands.handles(press(letter, `Key${letter.toUpperCase()}`), session);
  // Word-wise editing in a shell: back, forward, delete.
  for (const letter of ["b", "f", "d"]) expect(takes(letter), letter).toBe(false);
  expect(commands.handles(press(".", "Period"), session)).toBe(false);
  expect(takes("i")).toBe(false);
  expect(takes("o")).toBe(true);
  store.inputHold.isOpening.value = true;
  expect(takes("n")).toBe(true);
});

test("I94 what an agent's commands print is not stepped in to, nor kept", () => {
  const { sent, run } = page("edit", { owner: "agent", feed: true });
  run("terminal.step-in");
  run("terminal.keep");
  expect(sent).toEqual([]);
});

test("W126 when a session or a link is over, no one is told to try again", () => {
  const { store, sent, run, toasts } = page("edit", {});
  store.bridge.value = { type: "bridge", state: "away", how: "ended" };
  run("terminal.open");
  run("split.right");
  store.bridge.value = { type: "bridge", state: "away" };
  run("terminal.open");
  store.connection.value = { state: "refused", code: 4401, reason: "" };
  run("terminal.open");
  expect(sent).toEqual([]);
  expect(toasts()).toEqual([
    "The host ended this session, so nothing new can be started.",
    "Not connected. Try again in a moment.",
    "This link no longer opens this room. Use another link.",
  ]);
});

test("W127 PE67 the host's own link is not copied for others", () => {
  const { store, run, toasts } = page("edit", {});
  const you = { type: "room:you", you: "a", label: "the host", role: "edit" } as const;
  store.people.you.value = { ...you, own: true };
  run("page.copy-link");
  expect(toasts()).toEqual([expect.stringContaining("pairpty share")]);
});
