// A new dialect in the page takes only the class below and one row. The message types, the routing
// to its handlers and the connection events follow from the row.

import { expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import type { RoomEvent } from "../../protocol/pty.ts";
import { KINDS } from "../kinds.ts";
import type { ReceivedBy, PageDialect, SentBy, DialectDeps } from "./dialect.ts";
import { openDialects, DialectGroup } from "./dialect.ts";
import type { DIALECTS } from "./dialects.ts";
import type { PageMessage, PageRequest } from "./messages.ts";
import { dispatchMessage } from "./messages.ts";
import { Store } from "./store.ts";

interface Shout {
  type: "shout:line";
  line: string;
}

type ShoutWord = { type: "shout:typed"; line: string } | { type: "shout:error"; error: string };

/** Repeats each line. */
class Shouting implements PageDialect<ShoutWord> {
  readonly received: string[] = [];
  readonly #send: (message: Shout) => boolean;

  constructor({ send }: Pick<DialectDeps<Shout>, "send">) {
    this.#send = send;
  }

  get handlers(): PageDialect<ShoutWord>["handlers"] {
    return {
      "shout:typed": ({ line }) => void this.#send({ type: "shout:line", line }),
      "shout:error": ({ error }) => void this.received.push(error),
    };
  }

  onAway(): void {
    this.received.push("away");
  }

  onCut(): void {
    this.received.push("cut");
  }
}

const ROWS = { shout: (speaking: DialectDeps<Shout>) => new Shouting(speaking) };

test("W22 a dialect in the page is one row: it is handed its messages and told of cuts", () => {
  const sent: Shout[] = [];
  const opened = openDialects<Shout, typeof ROWS>(ROWS, {
    store: new Store("work", undefined, KINDS),
    send: (message) => sent.push(message) > 0,
    sendBytes: () => false,
    storage: undefined,
  });
  const spoken = new DialectGroup(Object.values(opened));
  const handlers = { room: {}, bridge: spoken.handlers };
  dispatchMessage(handlers, '{"type":"shout:typed","line":"hello"}');
  dispatchMessage(handlers, '{"type":"shout:error","error":"too loud"}');
  dispatchMessage(handlers, '{"type":"shout:later"}');
  spoken.onAway();
  spoken.onCut();
  expect(sent).toEqual([{ type: "shout:line", line: "hello" }]);
  expect(opened.shout.received).toEqual(["too loud", "away", "cut", "away"]);
});

test("W22 what the page may say and hear follows from the rows", () => {
  expectTypeOf<SentBy<typeof ROWS>>().toEqualTypeOf<Shout>();
  expectTypeOf<ReceivedBy<typeof ROWS>>().toEqualTypeOf<ShoutWord>();
  expectTypeOf<Shout>().not.toExtend<PageRequest>();
  expectTypeOf<
    { type: "audit:close" } | { type: "pty:drive"; id: string }
  >().toExtend<PageRequest>();
  expectTypeOf<ShoutWord>().not.toExtend<PageMessage>();
  // What the room makes and what the bridge makes have no type in common.
  expectTypeOf<ReceivedBy<typeof DIALECTS>["type"] & RoomEvent["type"]>().toBeNever();
});

test("U8 a dialect that throws when the room is gone keeps none of the others from hearing it", () => {
  const reported: (() => void)[] = [];
  vi.stubGlobal("queueMicrotask", (report: () => void) => void reported.push(report));
  onTestFinished(() => void vi.unstubAllGlobals());
  const broken = () => {
    throw new Error("a bug");
  };
  const received: string[] = [];
  const spoken = new DialectGroup([
    { handlers: {}, onCut: broken, onAway: broken, dispose: broken },
    {
      handlers: {},
      onCut: () => void received.push("cut"),
      onAway: () => void received.push("away"),
      dispose: () => void received.push("disposed"),
    },
  ]);
  spoken.onCut();
  spoken.dispose();
  expect(received).toEqual(["cut", "away", "disposed"]);
  expect(reported).toHaveLength(3);
  expect(reported[0]).toThrow("a bug");
});
