// Whose question makes the code needed.

import { expect, test } from "vitest";
import type { Approval } from "../../protocol/approval.ts";
import { grantOf } from "../../test/support/caller.ts";
import type { DeskEvent } from "../approvals/desk.ts";
import { Listeners } from "../listeners.ts";
import { countLocalQuestions } from "./local-questions.ts";

function approvalOf(grant: string): Approval {
  return {
    id: "abc123",
    kind: "command",
    agent: { grant, label: "" },
    via: "bash",
    command: "make",
    cwd: "/",
    verdict: "unknown",
    why: [],
    isolation: "sandbox",
    offers: ["once", "deny"],
    askedAt: 0,
    expiresAt: null,
  };
}

test("Q43 a local agent counts from its first question on; one through the relay when its code runs", () => {
  const events = new Listeners<[DeskEvent]>();
  const grants = [grantOf("throughrly"), grantOf("onthismach", { local: "claude-code" })];
  let ran = 0;
  const end = countLocalQuestions(
    { onEvent: (listener) => events.add(listener) },
    { lookUp: (id) => grants.find((grant) => grant.id === id) },
    { agentRan: () => void ran++ },
  );
  events.tell({ type: "approval:requested", approval: approvalOf("throughrly") });
  events.tell({ type: "approval:settled", id: "abc123", outcome: "expired" });
  events.tell({ type: "approval:requested", approval: approvalOf("gone") });
  expect(ran).toBe(0);
  events.tell({ type: "approval:requested", approval: approvalOf("onthismach") });
  expect(ran).toBe(1);
  end();
  expect(events.count).toBe(0);
});
