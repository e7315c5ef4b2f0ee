import { expect, test } from "vitest";
import { dispatchMessage, dispatchBridgeMessage } from "./messages.ts";

function listening() {
  const received: unknown[] = [];
  const receive = (message: unknown): void => void received.push(message);
  const bridge = { "pty:exit": receive, "pty:error": receive, "room:you": receive };
  return { received, handlers: { room: { "pairpty:ping": receive }, bridge } };
}

test("W22 a message goes to the handler of its type", () => {
  const { received, handlers } = listening();
  const messages = [
    { type: "pairpty:ping", n: 7 },
    { type: "room:you", you: "ana" },
  ];
  for (const message of messages) dispatchMessage(handlers, JSON.stringify(message));
  expect(received).toEqual(messages);
});

test("W134 a terminal's output carries messages of the bridge, and none of the room's", () => {
  const { received, handlers } = listening();
  dispatchBridgeMessage(handlers, '{"type":"pairpty:ping","n":7}');
  dispatchBridgeMessage(handlers, '{"type":"pty:exit","id":"pty-aaaaaa"}');
  expect(received).toEqual([{ type: "pty:exit", id: "pty-aaaaaa" }]);
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
