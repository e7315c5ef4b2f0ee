import { expect, test } from "vitest";
import type { Handlers, PageMessage } from "./messages.ts";
import { deliver } from "./messages.ts";

function listening(): { heard: PageMessage[]; handlers: Handlers } {
  const heard: PageMessage[] = [];
  const hear = (message: PageMessage): void => void heard.push(message);
  const handlers: Handlers = {
    "pty:attached": hear,
    "pty:output": hear,
    "pty:exit": hear,
    "pty:error": hear,
    "pty:resized": hear,
    "pty:driver": hear,
    "pty:asked": hear,
    "pty:foreground": hear,
    "pty:titled": hear,
    "pty:recording": hear,
    "pty:running": hear,
    "audit:entries": hear,
    "audit:entry": hear,
    "audit:skipped": hear,
    "audit:error": hear,
    "pty:terminals": hear,
    bridge: hear,
    "room:address": hear,
    "pairpty:ping": hear,
    terminal: hear,
    "approval:open": hear,
    "approval:requested": hear,
    "approval:settled": hear,
    "approval:error": hear,
    "room:welcome": hear,
    "room:waiting": hear,
    "room:you": hear,
    "room:people": hear,
    "room:knocks": hear,
    "room:away": hear,
    "room:shared": hear,
    "room:links": hear,
    "room:remembered": hear,
    "room:forgotten": hear,
    "room:error": hear,
    "conversation:list": hear,
    "conversation:changed": hear,
    "conversation:gone": hear,
    "conversation:opened": hear,
    "conversation:entry": hear,
    "conversation:text": hear,
    "conversation:error": hear,
  };
  return { heard, handlers };
}

test("W22 a message goes to the handler of its type", () => {
  const { heard, handlers } = listening();
  const seldom: PageMessage[] = [];
  const message: PageMessage = { type: "pairpty:ping", n: 7 };
  deliver({ ...handlers, "pairpty:ping": (one) => void seldom.push(one) }, JSON.stringify(message));
  expect([heard, seldom]).toEqual([[], [message]]);
});

test.each([
  "pong",
  "",
  "{",
  "null",
  "[]",
  '{"type":7}',
  '{"id":"pty-aaaaaa"}',
  // Of a newer bridge, and of every object.
  '{"type":"pty:later","id":"pty-aaaaaa"}',
  '{"type":"constructor"}',
  '{"type":"__proto__"}',
  undefined,
  new ArrayBuffer(2),
])("W22 %j is no message, and costs nothing", (data) => {
  const { heard, handlers } = listening();
  deliver(handlers, data);
  expect(heard).toEqual([]);
});
