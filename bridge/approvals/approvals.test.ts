// The approvals of a bridge, with clocks that the test moves: which call waits how long, and what
// is left.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { attendedDesk } from "../../test/support/desk.ts";
import { failingDisk } from "../../test/support/failing-disk.ts";
import type { Grant, GrantEvent } from "../grants/grant-table.ts";
import { Emitter } from "../emitter.ts";
import type { OnUnknownTimeout } from "./approvals.ts";
import { Rules } from "./approval-rules.ts";
import type { ApprovalRequest } from "./approval-request.ts";
import { HOLD_MS, UNKNOWN_OPEN_MS } from "./approval-request.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PERSON = { label: "a person", door: "people" };
const AGENT = createGrant("aaaaaaaaaa", { label: "Cursor" });

function world(onUnknownTimeout: OnUnknownTimeout = "deny") {
  const grants = new Emitter<[GrantEvent]>();
  let ids = 0;
  const desk = attendedDesk({
    grants: { onEvent: (listener) => grants.add(listener) },
    onUnknownTimeout,
    newId: () => `id${++ids}`,
  });
  const end = (grant: Grant) => grants.fire({ event: "revoked", grant });
  return { ...desk, end, grants };
}

function createRequest(more: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    caller: callerWith(AGENT),
    kind: "command",
    via: "bash",
    command: "git clean -fdx",
    cwd: "/work",
    judgement: { verdict: "dangerous", why: ["git clean deletes files"] },
    isolation: "none",
    key: "digest 1",
    ...more,
  };
}

test("Q5 a question is told with all that a person needs, and an allow lets the call run", async () => {
  const { approvals, messages, audit } = world();
  const asking = approvals.request(createRequest());
  expect(messages).toEqual([
    {
      type: "approval:requested",
      approval: {
        id: "id1",
        kind: "command",
        agent: { grant: AGENT.id, label: "Cursor" },
        via: "bash",
        command: "git clean -fdx",
        cwd: "/work",
        verdict: "dangerous",
        why: ["git clean deletes files"],
        isolation: "none",
        offers: ["once", "deny"],
        askedAt: Date.now(),
        expiresAt: null,
      },
    },
  ]);
  expect(approvals.answer("id1", "once", PERSON)).toEqual({ ok: true });
  expect(await asking).toEqual({ ok: true });
  expect(messages[1]).toEqual({
    type: "approval:settled",
    id: "id1",
    outcome: "allowed",
    by: PERSON,
    answer: "once",
  });
  expect(audit.map(({ event }) => event)).toEqual([
    "approval asked",
    "approval allowed",
    "approval used",
  ]);
  expect(audit[1]).toMatchObject({ grant: AGENT.id, arguments: { approval: "id1", by: PERSON } });
});

test.each([
  ["unknown", HOLD_MS.unknown],
  ["dangerous", HOLD_MS.dangerous],
  ["blocked", HOLD_MS.dangerous],
] as const)("Q6 a call that is %s is held %i ms, then told to come again", async (verdict, ms) => {
  const { approvals } = world();
  const judgement = { verdict, why: ["because"] };
  const asking = approvals.request(createRequest({ judgement }));
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(approvals.waiting).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  const answer = await asking;
  expect(answer).toMatchObject({
    ok: false,
    error: expect.stringContaining("approval id1 is open; make the same call again"),
  });
  expect(approvals.listOpen()).toHaveLength(1);
  const again = approvals.request(createRequest({ judgement }));
  approvals.answer("id1", "once", PERSON);
  expect(await again).toEqual({ ok: true });
});

test("Q72 an unknown command's question is open for 10 minutes, a dangerous one's until it is answered", async () => {
  const { approvals, messages } = world();
  void approvals.request(createRequest({ judgement: { verdict: "unknown", why: [] } }));
  void approvals.request(createRequest({ key: "digest 2" }));
  await vi.advanceTimersByTimeAsync(UNKNOWN_OPEN_MS);
  expect(messages.at(-1)).toEqual({ type: "approval:settled", id: "id1", outcome: "expired" });
  await vi.advanceTimersByTimeAsync(24 * 3_600_000);
  expect(approvals.listOpen().map(({ id }) => id)).toEqual(["id2"]);
});

test("Q106 a refusal names the gravest reason; the others are a field, and notes are left out", async () => {
  const { approvals } = world();
  const why = ["`git clean` deletes untracked files", "`x` isn't on the safe list", "its input: y"];
  const judgement = { verdict: "dangerous" as const, why, notes: ["its input: y"] };
  const denied = approvals.request(createRequest({ judgement }));
  approvals.answer("id1", "deny", PERSON);
  expect(await denied).toEqual({
    ok: false,
    error:
      "A person denied this (`git clean` deletes untracked files). Do not try it another way; ask what they want instead.",
    moreReasons: ["`x` isn't on the safe list"],
  });
  const onlyNote = { verdict: "unknown" as const, why: ["its input: y"], notes: ["its input: y"] };
  const held = approvals.request(createRequest({ judgement: onlyNote, key: "digest 2" }));
  await vi.advanceTimersByTimeAsync(HOLD_MS.unknown);
  expect(await held).toEqual({
    ok: false,
    error: expect.stringContaining("Command needs approval (its input: y). No answer yet"),
  });
});

test("Q6 a call that waits until its question is settled is not held by the clock", async () => {
  const { approvals } = world();
  const asking = approvals.request(createRequest({ waitsUntilSettled: true }));
  await vi.advanceTimersByTimeAsync(3_600_000);
  approvals.answer("id1", "deny", PERSON, "not on this branch");
  expect(await asking).toEqual({
    ok: false,
    error: "A person denied this: not on this branch",
  });
});

test("Q11 where the user's config says so, an unknown command runs when no one answers; a dangerous one never", async () => {
  const { approvals, messages, audit } = world("allow");
  const unknown = approvals.request(createRequest({ judgement: { verdict: "unknown", why: [] } }));
  const dangerous = approvals.request(createRequest({ key: "digest 2" }));
  await vi.advanceTimersByTimeAsync(HOLD_MS.dangerous);
  expect(await unknown).toEqual({ ok: true });
  expect(await dangerous).toMatchObject({ ok: false });
  expect(messages.at(-1)).toMatchObject({
    id: "id1",
    outcome: "allowed",
    reason: expect.any(String),
  });
  expect(audit.map(({ event }) => event)).toContain("approval used");
});

test("Q7 with no one to ask a call is refused at once, with what to do; what was answered holds", async () => {
  const { approvals, messages, there } = world();
  there.person = false;
  const answer = await approvals.request(createRequest());
  expect(answer).toMatchObject({ ok: false, error: expect.stringContaining("Edit link") });
  expect(messages).toEqual([]);
  const leave = approvals.register({ getAttendance: () => "answers", notify: () => {} });
  void approvals.request(createRequest());
  expect(messages).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(HOLD_MS.dangerous);
  approvals.answer(approvals.listOpen()[0]?.id ?? "", "once", PERSON);
  leave();
  expect(await approvals.request(createRequest())).toEqual({ ok: true });
  expect(await approvals.request(createRequest())).toMatchObject({ ok: false });
});

test("Q7 Q11 whoever is told and cannot answer is no one to ask: nothing waits, and nothing runs by itself", async () => {
  const { approvals, messages, there } = world("allow");
  there.person = false;
  const bells: string[] = [];
  approvals.register({
    getAttendance: () => "told",
    notify: ({ type }) => void bells.push(type),
  });
  const asking = approvals.request(createRequest({ judgement: { verdict: "unknown", why: [] } }));
  await vi.advanceTimersByTimeAsync(HOLD_MS.unknown);
  expect(await asking).toMatchObject({ ok: false });
  expect(approvals.listOpen()).toEqual([]);
  expect([messages, bells]).toEqual([[], []]);
  // It is notified of approvals that another surface can answer.
  there.person = true;
  void approvals.request(createRequest());
  expect(bells).toEqual(["approval:requested"]);
});

test("Q1 allow and deny at once have one outcome; whoever is later is told who was quicker", async () => {
  const { approvals, messages } = world();
  const asking = approvals.request(createRequest());
  const other = { label: "another", door: "people" };
  expect(approvals.closedReason("id1")).toBeUndefined();
  expect(approvals.answer("id1", "deny", PERSON, "no")).toEqual({ ok: true });
  expect(approvals.answer("id1", "once", other)).toEqual({
    ok: false,
    code: "not_found",
    error: "Approval id1 was already denied by a person",
  });
  expect(approvals.answer("nope", "once", other)).toMatchObject({ code: "not_found" });
  expect(approvals.closedReason("id1")).toBe("Approval id1 was already denied by a person");
  expect(await asking).toMatchObject({ ok: false });
  expect(messages.filter(({ type }) => type === "approval:settled")).toHaveLength(1);
});

test("Q4 a revoked grant's questions are withdrawn, and so are all when the bridge ends", async () => {
  const { approvals, messages, end } = world();
  const one = approvals.request(createRequest());
  const other = approvals.request(
    createRequest({ caller: callerWith(createGrant("bbbbbbbbbb")), key: "digest 2" }),
  );
  end(AGENT);
  expect(await one).toMatchObject({ ok: false, error: expect.stringContaining("withdrawn") });
  expect(messages.at(-1)).toEqual({ type: "approval:settled", id: "id1", outcome: "withdrawn" });
  expect(approvals.waiting).toBe(1);
  approvals.dispose();
  expect(await other).toMatchObject({ ok: false, error: expect.stringContaining("withdrawn") });
});

test("Q69 a client that leaves gives up its wait, not the question", async () => {
  const { approvals } = world();
  const leaving = new AbortController();
  const asking = approvals.request(createRequest({ signal: leaving.signal }));
  leaving.abort();
  expect(await asking).toMatchObject({ ok: false });
  expect(approvals.waiting).toBe(0);
  expect(approvals.listOpen()).toHaveLength(1);
  approvals.answer("id1", "once", PERSON);
  expect(await approvals.request(createRequest())).toEqual({ ok: true });
  const gone = AbortSignal.abort();
  expect(await approvals.request(createRequest({ signal: gone, key: "digest 3" }))).toMatchObject({
    ok: false,
  });
});

test("Q71 a surface that throws is logged; the call gets its answer, and the others hear of it", async () => {
  const { approvals, faults } = world();
  const broken = (): never => {
    throw new Error("on purpose");
  };
  const received: string[] = [];
  approvals.register({ getAttendance: broken, notify: broken });
  approvals.onEvent(broken);
  approvals.register({
    getAttendance: () => "told",
    notify: ({ type }) => void received.push(type),
  });
  approvals.onEvent(({ type }) => void received.push(type));
  const asking = approvals.request(createRequest());
  expect(approvals.answer("id1", "once", PERSON)).toEqual({ ok: true });
  expect(await asking).toEqual({ ok: true });
  const both = ["approval:requested", "approval:settled"];
  expect(received).toEqual(both.flatMap((type) => [type, type]));
  expect(approvals.listOpen()).toEqual([]);
  expect(approvals.waiting).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
  expect(faults).toHaveLength(4);
  expect(faults[0]).toContain("on purpose");
});

test("Q71 a call whose own side throws is logged, held as any other, and let go", async () => {
  const { approvals, faults, messages } = world();
  const broken = (): never => {
    throw new Error("on purpose");
  };
  const side = { canShow: true, takeAnswer: () => undefined, show: broken };
  const asking = approvals.request(createRequest({ client: side, onPending: broken }));
  const other = approvals.request(createRequest());
  expect(messages).toHaveLength(1);
  expect(faults).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(HOLD_MS.dangerous);
  expect(await asking).toMatchObject({ ok: false, error: expect.stringContaining("id1 is open") });
  expect(await other).toMatchObject({ ok: false });
  expect(approvals.waiting).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test("Q7 a surface that cannot say who is there has no one", async () => {
  const { approvals, there, faults } = world();
  there.person = false;
  approvals.register({
    getAttendance: () => {
      throw new Error("on purpose");
    },
    notify: () => {},
  });
  expect(await approvals.request(createRequest())).toMatchObject({ ok: false });
  expect(approvals.listOpen()).toEqual([]);
  expect(faults).toEqual([expect.stringContaining("on purpose")]);
});

test("Q70 whatever came of them, no timer, listener or call is left", async () => {
  const { approvals, end, grants } = world();
  const leaving = new AbortController();
  for (const key of ["1", "2", "3", "4"]) {
    void approvals.request(createRequest({ key, signal: leaving.signal }));
  }
  approvals.answer("id1", "once", PERSON);
  approvals.answer("id2", "deny", PERSON);
  leaving.abort();
  approvals.answer("id3", "once", PERSON);
  end(AGENT);
  expect(approvals.waiting).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
  approvals.dispose();
  expect(grants.count).toBe(0);
});

test("G38 an answer whose rule cannot be kept lets this call run, and says that the next one asks", async () => {
  const disk = failingDisk();
  const folder = mkdtempSync(join(tmpdir(), "pp-approvals-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = { error: () => {}, info: () => {} };
  const rules = new Rules(join(folder, "rules.json"), log, () => true, disk);
  const { approvals } = attendedDesk({ rules });
  const footing = { programs: [{ path: "/bin/x", stamp: "1" }], prefix: undefined };
  const judgement = { verdict: "unknown", why: ["x is not known"] } as const;
  const asking = approvals.request(createRequest({ judgement, basis: footing }));
  disk.isFull = true;
  const answered = approvals.answer(approvals.listOpen()[0]?.id ?? "", "session", PERSON);
  expect(answered).toMatchObject({ ok: true, notSaved: { exitCode: 5 } });
  expect(await asking).toEqual({ ok: true });
  expect(approvals.listRules()).toEqual([]);
});
