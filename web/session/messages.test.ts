import { expect, test } from "vitest";
import { dispatchMessage } from "./messages.ts";

function listening() {
  const received: unknown[] = [];
  const hear = (message: unknown): void => void received.push(message);
  return { received, handlers: { "pty:exit": hear, "pty:error": hear, "room:you": hear } };
}

test("W22 a message goes to the handler of its type", () => {
  const { received, handlers } = listening();
  const seldom: unknown[] = [];
  const message = { type: "pairpty:ping", n: 7 };
  const hear = (one: unknown) => void seldom.push(one);
  dispatchMessage({ ...handlers, "pairpty:ping": hear }, JSON.stringify(message));
  expect([received, seldom]).toEqual([[], [message]]);
});

test.each([
  "pong",
  "",
  "{",
  "null",
  "[]",
  '{"type":7}',
  '{"id":"pty-aaaaaa"}',
  // A newer bridge's message, and properties that every object inherits.
  '{"type":"pty:later","id":"pty-aaaaaa"}',
  '{"type":"constructor"}',
  '{"type":"__proto__"}',
  undefined,
  new ArrayBuffer(2),
])("W22 %j is no message, and costs nothing", (data) => {
  const { received, handlers } = listening();
  dispatchMessage(handlers, data);
  expect(received).toEqual([]);
});
