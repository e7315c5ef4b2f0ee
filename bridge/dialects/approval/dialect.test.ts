// Approvals on people's sockets: who is told, who may answer, and what answers get.

import { expect, test } from "vitest";
import type { Approval } from "../../../protocol/approval.ts";
import { callerWith, grantOf } from "../../../test/support/caller.ts";
import type { Answered, ApprovalDesk, DeskEvent } from "../../approvals/desk.ts";
import type { Caller } from "../../callers/caller.ts";
import type { Grant } from "../../grants/table.ts";
import { Listeners } from "../../listeners.ts";
import { ApprovalDialect } from "./dialect.ts";

const APPROVAL: Approval = {
  id: "abc123",
  kind: "command",
  agent: { grant: "aaaaaaaaaa", label: "Cursor" },
  via: "bash",
  command: "git clean -fdx",
  cwd: "/work",
  verdict: "dangerous",
  why: [],
  isolation: "none",
  offers: ["once", "deny"],
  askedAt: 1,
  expiresAt: null,
};

function world(answered: Answered = { ok: true }) {
  const given: unknown[] = [];
  const events = new Listeners<[DeskEvent]>();
  const desk: Pick<ApprovalDesk, "open" | "answer" | "onEvent"> = {
    open: () => [APPROVAL],
    onEvent: (listener) => events.add(listener),
    answer: (...all) => {
      given.push(all);
      return answered;
    },
  };
  return { dialect: new ApprovalDialect(desk), events, given };
}

const person = () => callerWith(grantOf("eeeeeeeeee", { role: "edit", label: "Ana" }), "people");
const parse = (told: readonly string[]) => told.map((text): unknown => JSON.parse(text));

test("Q8 on joining, whoever may answer is told what is open; others hear nothing", () => {
  const { dialect } = world();
  const ana = person();
  dialect.joined(ana);
  expect(parse(ana.told)).toEqual([
    { type: "approval:open", ids: ["abc123"] },
    { type: "approval:requested", approval: APPROVAL },
  ]);
  const viewer = callerWith(grantOf("vvvvvvvvvv", { role: "view" }), "people");
  const local = callerWith(grantOf("llllllllll", { role: "edit" }), "terminal");
  for (const caller of [viewer, local]) {
    dialect.joined(caller);
    expect(caller.told).toEqual([]);
  }
});

test("Q8 news of approvals go to edit links through the relay, and to nobody else", () => {
  const { dialect, events } = world();
  const heard: [string, (caller: Caller, grant: Grant) => boolean][] = [];
  const hub = {
    tell: (message: string, isFor: (caller: Caller, grant: Grant) => boolean = () => true) =>
      void heard.push([message, isFor]),
  };
  const end = dialect.opened(hub);
  events.tell({ type: "approval:settled", id: "abc123", outcome: "expired" });
  const [[message, isFor] = ["", () => true]] = heard;
  expect(JSON.parse(message)).toEqual({
    type: "approval:settled",
    id: "abc123",
    outcome: "expired",
  });
  const edit = grantOf("e", { role: "edit" });
  const view = grantOf("v", { role: "view" });
  expect(isFor(callerWith(edit, "people"), edit)).toBe(true);
  expect(isFor(callerWith(edit, "terminal"), edit)).toBe(false);
  expect(isFor(callerWith(view, "people"), view)).toBe(false);
  end();
  expect(events.count).toBe(0);
});

test("Q9 an answer reaches the desk with the link's label and the door", () => {
  const { dialect, given } = world();
  const ana = person();
  dialect.message(ana, { type: "approval:answer", id: "abc123", answer: "deny", reason: "no" });
  expect(given).toEqual([["abc123", "deny", { label: "Ana", door: "people" }, "no"]]);
  expect(ana.told).toEqual([]);
});

test("Q9 whoever may not answer, answers too late or badly gets an approval:error", () => {
  const late = world({ ok: false, code: "not_found", error: "Approval abc123 was denied" });
  const ana = person();
  late.dialect.message(ana, { type: "approval:answer", id: "abc123", answer: "once" });
  late.dialect.message(ana, { type: "approval:answer", id: "abc123", answer: "yes" });
  late.dialect.message(ana, { type: "approval:what" });
  expect(parse(ana.told)).toMatchObject([
    { type: "approval:error", id: "abc123", code: "not_found", error: expect.any(String) },
    { type: "approval:error", id: "abc123", code: "bad_request" },
    { type: "approval:error", code: "bad_request" },
  ]);
  expect(late.given).toHaveLength(1);
  const viewer = callerWith(grantOf("vvvvvvvvvv", { role: "view" }), "people");
  const local = callerWith(grantOf("llllllllll", { role: "edit" }), "terminal");
  for (const caller of [viewer, local]) {
    late.dialect.message(caller, { type: "approval:answer", id: "abc123", answer: "once" });
    expect(parse(caller.told)).toMatchObject([{ type: "approval:error", code: "forbidden" }]);
  }
  expect(late.given).toHaveLength(1);
});
