// Adding a dialect takes the class below and one registration. Callers, live grants, rights, faults
// and the end of a grant come with the door, the hub and the service.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import type { ErrorCode } from "../../protocol/codes.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { parseValue } from "../../protocol/json.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import type { Sender } from "../callers/caller.ts";
import type { Dialect } from "../callers/dialect-interface.ts";
import type { Message } from "../callers/message-parsing.ts";
import { GrantTable } from "../grants/grant-table.ts";
import { createLog } from "../log.ts";
import { PeopleTerminals } from "../people/people-terminals.ts";
import { modelledRoom, OneTerminal } from "../../test/support/modelled-room.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";

const Shout = z.object({ type: z.literal("shout:line"), id: z.string(), line: z.string() });

/** Types a line in capitals: a dialect with one message, over the people's service. */
class ShoutDialect implements Dialect {
  readonly prefix = "shout:";
  readonly doors = ["people"] as const;
  /** Viewers take part, too; the service decides who may type. */
  readonly requires = "look";
  readonly #people: Pick<PeopleTerminals, "type">;

  constructor(people: Pick<PeopleTerminals, "type">) {
    this.#people = people;
  }

  onMessage({ caller, grant }: Sender, message: Message): void {
    const shout = parseValue(Shout, message);
    if (!shout.ok) return caller.send(this.error("bad_request", shout.error));
    const { id, line } = shout.value;
    if (line === "bug") throw new Error("of the dialect");
    const refused = this.#people.type(caller, id, toBytes(`${line.toUpperCase()}\n`), { grant });
    if (refused !== undefined) return caller.send(this.error(refused.code, refused.error));
    return caller.send(JSON.stringify({ type: "shout:typed", id }));
  }

  error(code: ErrorCode, error: string): string {
    return JSON.stringify({ type: "shout:error", code, error });
  }
}

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-new-dialect-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function world() {
  const typed: string[] = [];
  const terminal = poolTerminal();
  const pool = new (class extends OneTerminal {
    override input(_terminal: unknown, bytes: Uint8Array): void {
      typed.push(toText(bytes));
    }
  })(terminal);
  const sent: { type: number; stream: number; text: string }[] = [];
  const link = {
    send: (type: number, stream: number, payload: Uint8Array = new Uint8Array()) =>
      void sent.push({ type, stream, text: toText(payload) }),
    sendBytes: () => {},
    confirmed: () => Promise.resolve(),
  };
  const grants = new GrantTable(join(folder, "grants.json"));
  const screens = { snapshot: () => Promise.reject(new Error("nobody looks")) };
  const { hub, door } = modelledRoom({
    pool,
    link,
    grants,
    screens,
    log: createLog("silent", () => {}),
  });
  hub.registerDialect(new ShoutDialect(new PeopleTerminals(pool)));
  const enter = (number: number, role: "edit" | "view") => {
    const { grant } = grants.mint({ role, scopes: [], label: "", expiresAt: null, session: true });
    door.onJoined(number, { grant: grant.id, joinedAt: 0, subscriptions: [] });
    return grant.id;
  };
  const shout = (number: number, line: string, id = terminal.id) =>
    door.onMessage(number, toBytes(JSON.stringify({ type: "shout:line", id, line })));
  const listShouts = () => sent.filter(({ text }) => text.includes("shout:"));
  return { typed, grants, sent, enter, shout, listShouts };
}

test("U2 a dialect of 30 lines is spoken through the people's door, under the service's rules", () => {
  const { typed, enter, shout, listShouts } = world();
  enter(1, "edit");
  enter(2, "view");
  shout(1, "hello");
  shout(2, "hello");
  shout(1, "hello", "pty-000000");
  expect(typed).toEqual(["HELLO\n"]);
  expect(listShouts().map(({ stream, text }) => [stream, JSON.parse(text)])).toMatchObject([
    [1, { type: "shout:typed" }],
    [2, { type: "shout:error", code: "forbidden" }],
    [1, { type: "shout:error", code: "not_found" }],
  ]);
});

test("U1 U3 a new dialect's faults cost one error, and a caller whose grant has ended is not heard", () => {
  const { typed, grants, sent, enter, shout, listShouts } = world();
  const id = enter(1, "edit");
  enter(2, "edit");
  shout(1, "bug");
  shout(2, "on");
  grants.revoke(id);
  shout(1, "late");
  expect(typed).toEqual(["ON\n"]);
  expect(listShouts().map(({ stream }) => stream)).toEqual([1, 2]);
  expect(listShouts()[0]?.text).toContain("internal");
  expect(sent.filter(({ type }) => type === FrameType.peerClose)).toMatchObject([{ stream: 1 }]);
});
