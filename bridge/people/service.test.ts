// What people may do, over a pool that starts when the test says so.

import { expect, test } from "vitest";
import { toBytes, toText } from "../../protocol/text.ts";
import type { SpawnResult } from "../terminals/pool.ts";
import { describe } from "../terminals/terminal.ts";
import { PeopleTerminals } from "./service.ts";
import { callerWith, grantOf } from "../../test/support/caller.ts";
import { OneTerminal } from "../../test/support/modelled-room.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";

test("U1 J2 a terminal that starts while its link is revoked is ended, and its caller told that it has none", async () => {
  const closed: string[] = [];
  let made: (result: SpawnResult) => void = () => {};
  const terminal = poolTerminal();
  const people = new PeopleTerminals({
    get: (id) => (id === terminal.id ? terminal : undefined),
    running: () => [terminal],
    plan: () => ({
      ok: true,
      plan: {
        command: undefined,
        argv: ["/bin/sh"],
        cwd: "/",
        env: {},
        added: {},
        size: { cols: 80, rows: 24 },
        lane: "user",
        lifetime: "user",
        retain: undefined,
        isolation: "none",
        startedBy: undefined,
      },
    }),
    start: () =>
      new Promise((resolve) => {
        made = resolve;
      }),
    close: async ({ id }) => void closed.push(id),
    input: () => {},
  });
  const caller = callerWith(grantOf("aaaaaaaaaa", { role: "edit" }), "http");
  const opening = people.open(caller, {});
  caller.revoke();
  made({ ok: true, terminal: describe(terminal) });
  expect(await opening).toMatchObject({ ok: false, code: "unauthorized" });
  expect(closed).toEqual([terminal.id]);
});

test("D4 view links look and do not change; agents come in elsewhere; a gone grant may nothing", () => {
  const people = new PeopleTerminals(new OneTerminal(poolTerminal()));
  const view = callerWith(grantOf("vvvvvvvvvv", { role: "view" }), "people");
  const agent = callerWith(grantOf("aaaaaaaaaa"), "http");
  expect(people.whyNot(view, "look")).toBeUndefined();
  expect(people.whyNot(view, "change")).toContain("read-only");
  expect(people.whyNot(agent, "look")).toContain("MCP");
  view.revoke();
  expect(people.whyNot(view, "look")).toContain("revoked");
});

test("D4 U1 only an edit link types, only into the user's terminals, and nothing once its grant is gone", () => {
  const typed: string[] = [];
  const terminal = poolTerminal();
  const people = new PeopleTerminals(
    new (class extends OneTerminal {
      override input(_terminal: unknown, bytes: Uint8Array): void {
        typed.push(toText(bytes));
      }
    })(terminal),
  );
  const edit = callerWith(grantOf("eeeeeeeeee", { role: "edit" }), "people");
  const view = callerWith(grantOf("vvvvvvvvvv", { role: "view" }), "people");
  people.type(edit, terminal, toBytes("one"));
  people.type(view, terminal, toBytes("two"));
  expect(people.whyNoInput(view, terminal)).toContain("read-only");
  people.type(edit, poolTerminal({ meta: { ...terminal.meta, owner: "agent" } }), toBytes("three"));
  edit.revoke();
  people.type(edit, terminal, toBytes("four"));
  expect(people.whyNoInput(edit, terminal)).toContain("revoked");
  expect(typed).toEqual(["one"]);
});
