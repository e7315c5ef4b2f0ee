// Owns questions of agents for tests.

import type { Approval } from "../../protocol/approval.ts";

export function approval(part: Partial<Approval> = {}): Approval {
  return {
    id: "ap-1",
    kind: "command",
    agent: { grant: "g1", label: "claude-code" },
    via: "bash",
    command: "git reset --hard",
    cwd: "/home/ana/project",
    verdict: "dangerous",
    why: ["`git reset --hard` discards uncommitted changes"],
    isolation: "none",
    offers: ["once", "deny"],
    askedAt: 1,
    expiresAt: null,
    ...part,
  };
}
