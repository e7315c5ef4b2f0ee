// Approvals on people's sockets: who gets them, who may answer, and the replies.

import { expect, test } from "vitest";
import type { Approval } from "../../../protocol/approval.ts";
import { spoken } from "../../../test/support/spoken.ts";
import type {
  AnswerResult,
  ApprovalDesk,
  ApprovalSurface,
  DeskEvent,
} from "../../approvals/desk.ts";
import { Emitter } from "../../emitter.ts";
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

function world(answered: AnswerResult = { ok: true }) {
  const given: unknown[] = [];
  const events = new Emitter<[DeskEvent]>();
  const surfaces: ApprovalSurface[] = [];
  const desk: Pick<ApprovalDesk, "listOpen" | "answer" | "register"> = {
    listOpen: () => [APPROVAL],
    register: (surface) => {
      surfaces.push(surface);
      return events.add((event) => surface.notify(event));
    },
    answer: (...all) => {
      given.push(all);
      return answered;
    },
  };
  return { ...spoken(new ApprovalDialect(desk)), events, surfaces, given };
}

const ANA = { role: "edit", label: "Ana" } as const;
const parse = (messages: readonly string[]) => messages.map((text): unknown => JSON.parse(text));

test("Q8 Q73 on joining, whoever may answer is told what is open; others hear nothing", () => {
  const { come } = world();
  const ana = come(ANA);
  expect(parse(ana.messages)).toEqual([
    { type: "approval:open", ids: ["abc123"] },
    { type: "approval:requested", approval: APPROVAL },
  ]);
  expect(come({ role: "view" }).messages).toEqual([]);
  expect(come(ANA, "terminal").messages).toEqual([]);
});

test("Q8 Q73 whoever may not answer any more is told that nothing is open", () => {
  const { come, changed } = world();
  const ana = come(ANA);
  ana.messages.splice(0);
  ana.revoke();
  changed(ana);
  expect(parse(ana.messages)).toEqual([{ type: "approval:open", ids: [] }]);
});

test("Q8 Q73 news of approvals go to edit links through the relay, and to no one else", () => {
  const { come, end, events, surfaces } = world();
  const attendance = () => surfaces.map((surface) => surface.getAttendance());
  const others = [come({ role: "view" }), come(ANA, "terminal"), come({ role: "agent" }, "mcp")];
  expect(attendance()).toEqual(["nobody"]);
  const ana = come(ANA);
  expect(attendance()).toEqual(["answers"]);
  ana.messages.splice(0);
  const settled = { type: "approval:settled", id: "abc123", outcome: "expired" } as const;
  events.fire(settled);
  expect(parse(ana.messages)).toEqual([settled]);
  for (const { messages } of others) expect(messages).toEqual([]);
  end();
  expect(events.count).toBe(0);
});

test("Q9 an answer reaches the desk with the link's label and the door", () => {
  const { come, say, given } = world();
  const ana = come(ANA);
  ana.messages.splice(0);
  say(ana, { type: "approval:answer", id: "abc123", answer: "deny", reason: "no" });
  expect(given).toEqual([["abc123", "deny", { label: "Ana", door: "people" }, "no"]]);
  expect(ana.messages).toEqual([]);
});

test("Q9 Q92 whoever may not answer, answers too late or badly gets an approval:error", () => {
  const late = world({ ok: false, code: "not_found", error: "Approval abc123 was denied" });
  const ana = late.come(ANA);
  ana.messages.splice(0);
  late.say(ana, { type: "approval:answer", id: "abc123", answer: "once" });
  late.say(ana, { type: "approval:answer", id: "abc123", answer: "yes" });
  late.say(ana, { type: "approval:what" });
  expect(parse(ana.messages)).toMatchObject([
    { type: "approval:error", id: "abc123", code: "not_found", error: expect.any(String) },
    { type: "approval:error", id: "abc123", code: "bad_request" },
    { type: "approval:error", code: "bad_request" },
  ]);
  expect(late.given).toHaveLength(1);
  for (const caller of [late.come({ role: "view" }), late.come(ANA, "terminal")]) {
    late.say(caller, { type: "approval:answer", id: "abc123", answer: "once" });
    expect(parse(caller.messages)).toMatchObject([{ type: "approval:error", code: "forbidden" }]);
  }
  expect(late.given).toHaveLength(1);
});
