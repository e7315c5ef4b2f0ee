import type { Terminal } from "@xterm/xterm";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { KINDS } from "../kinds.ts";
import type { PageRequest } from "../session/messages.ts";
import { Store } from "../session/store.ts";
import { markExited, putTerminal } from "../session/terminal-list.ts";
import type { TerminalInputSession } from "./terminal-input.ts";
import { TerminalInput } from "./terminal-input.ts";

const ID = "pty-1";

/** A page with one terminal, typed into by its emulator. */
function page() {
  const store = new Store("work", undefined, KINDS);
  store.connection.value = { state: "live" };
  store.isListed.value = true;
  store.role.value = "edit";
  const terminal = { id: ID, cwd: "/work", owner: "user", visible: true, createdAt: 1 } as const;
  store.terminals.value = putTerminal([], terminal);
  const sent: PageRequest[] = [];
  const socket = { isOpen: true };
  const session: TerminalInputSession = {
    store,
    send: (request) => socket.isOpen && sent.push(request) > 0,
  };
  let type: (data: string) => void = () => undefined;
  const term = {
    attachCustomKeyEventHandler: () => undefined,
    attachCustomWheelEventHandler: () => undefined,
    onBinary: () => undefined,
    onData: (listener: typeof type) => {
      type = listener;
    },
    paste: (text: string) => type(text),
  };
  const rules = {
    isCommand: () => false,
    mayReport: () => true,
    onTyped: vi.fn<() => void>(),
    onSent: vi.fn<(data: string) => void>(),
  };
  const typing = new TerminalInput(ID, session, term as unknown as Terminal, rules);
  typing.listen();
  const typed = () => sent.flatMap((one) => (one.type === "pty:input" ? [one.data] : [])).join("");
  const toasts = () => store.toasts.all.value.map(({ text }) => text);
  return { store, socket, typing, type: (data: string) => type(data), typed, toasts, rules };
}

type Page = ReturnType<typeof page>;

test("PE19 a key waits for nothing: not for an attach, a size, a driver or an element", () => {
  const { store, type, typed, toasts } = page();
  expect([store.drivers.value.size, store.you.value]).toEqual([0, undefined]);
  type("l");
  type("s\r");
  expect([typed(), toasts()]).toEqual(["ls\r", []]);
});

test("PE71 a key that the socket does not take is not lost without a word", () => {
  const { socket, type, typed, toasts, rules } = page();
  socket.isOpen = false;
  type("l");
  expect([typed(), toasts()]).toEqual(["", ["Not connected. Your typing isn’t sent."]]);
  // Input that was not sent is not predicted either.
  expect(rules.onSent).not.toHaveBeenCalled();
});

test("WT61 what is typed while a terminal is opened is neither sent to this one nor drawn in it; a file's path is", () => {
  const { store, typing, type, typed, rules } = page();
  store.inputHold.begin();
  type("new");
  typing.modifiers.ctrl.value = "once";
  type("c");
  expect(typing.modifiers.ctrl.value).toBe("no");
  expect([typed(), rules.onSent.mock.calls, rules.onTyped.mock.calls]).toEqual(["", [], []]);
  typing.paste("/tmp/upload ");
  expect(typed()).toBe("/tmp/upload ");
  // Reports are not typed input.
  type("\u001B[I");
  expect(typed()).toBe("/tmp/upload \u001B[I");
  const got: string[] = [];
  const sink = { blockedReason: () => undefined, type: (data: string) => void got.push(data) };
  store.inputHold.onOpened("pty-2");
  store.inputHold.onAttached("pty-2", { ...sink, paste: () => true });
  expect(got).toEqual(["new", "\u0003"]);
  store.dispose();
});

test("PE19 PE71 whatever happens around it: each key is sent once, in order, or the page shows why not", () => {
  const happenings = {
    cut: ({ store }) => (store.connection.value = { state: "connecting" }),
    live: ({ store }) => (store.connection.value = { state: "live" }),
    unlisted: ({ store }) => (store.isListed.value = false),
    listed: ({ store }) => (store.isListed.value = true),
    closing: ({ socket }) => (socket.isOpen = false),
    open: ({ socket }) => (socket.isOpen = true),
    watching: ({ store }) => (store.role.value = "view"),
    editing: ({ store }) => (store.role.value = "edit"),
    taken: ({ store }) =>
      store.onDriver({ type: "pty:driver", id: ID, driver: 9, label: "ben", viewers: 2 }),
    left: ({ store }) => store.forgetDrivers(),
    ended: ({ store }) =>
      store.updateTerminals((all) => markExited(all, ID, { exitCode: 0, signal: null })),
  } satisfies Record<string, (all: Page) => unknown>;
  const names = Object.keys(happenings) as (keyof typeof happenings)[];
  fc.assert(
    fc.property(fc.array(fc.constantFrom("key", ...names), { maxLength: 30 }), (events) => {
      vi.useFakeTimers();
      const all = page();
      const expected: string[] = [];
      for (const [at, event] of events.entries()) {
        if (event !== "key") {
          happenings[event](all);
          continue;
        }
        const before = all.typed();
        all.store.toasts.all.value = [];
        all.type(`<${at}>`);
        const isSent = all.typed() !== before;
        if (isSent) expected.push(`<${at}>`);
        // The strip of an ended terminal already shows the reason.
        const isShown = all.toasts().length > 0 || all.store.findTerminal(ID)?.ended !== undefined;
        expect(isSent).toBe(!isShown);
      }
      expect(all.typed()).toBe(expected.join(""));
      all.store.dispose();
      vi.useRealTimers();
    }),
  );
});
