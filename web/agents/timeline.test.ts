import { expect, test } from "vitest";
import type { AuditRequest, AuditRow } from "../../protocol/audit.ts";
import { MAX_KEPT, Timeline } from "./timeline.ts";

const entry = (tool: string): AuditRow => ({ at: "", event: "call", label: "claude", tool });

function opened() {
  const sent: AuditRequest[] = [];
  const timeline = new Timeline((request) => sent.push(request) > 0);
  timeline.open();
  const tools = () => timeline.shown.value.map(({ what }) => what);
  return { timeline, sent, tools };
}

test("GR31 the newest come first, older ones by asking, and live ones behind them", () => {
  const { timeline, sent, tools } = opened();
  timeline.loadOlder();
  timeline.onEntries({
    type: "audit:entries",
    entries: [entry("c"), entry("d")],
    before: "1-9",
    isOlder: false,
  });
  timeline.onEntry(entry("e"));
  timeline.loadOlder();
  timeline.loadOlder();
  timeline.onEntries({
    type: "audit:entries",
    entries: [entry("a"), entry("b")],
    before: null,
    isOlder: true,
  });
  timeline.loadOlder();
  expect(tools()).toEqual(["a", "b", "c", "d", "e"]);
  expect(sent).toEqual([
    { type: "audit:open", limit: 100 },
    { type: "audit:open", before: "1-9", limit: 100 },
  ]);
  expect(new Set(timeline.actions.value.map(({ key }) => key)).size).toBe(5);
  timeline.filter.value = { ...timeline.filter.value, text: "b" };
  expect(tools()).toEqual(["b"]);
});

test("GR29 what people decided about people is no agent's deed", () => {
  const { timeline, tools } = opened();
  const letIn = { at: "", event: "person let in", label: "Ada", arguments: { person: "Bob" } };
  const entries = [letIn, entry("a")];
  timeline.onEntries({ type: "audit:entries", entries, before: null, isOlder: false });
  timeline.onEntry(letIn);
  expect([tools(), timeline.agents.value]).toEqual([["a"], ["claude"]]);
});

test("GR30 the filter lists agents by their display names: no people, no bare ids", () => {
  const { timeline } = opened();
  const rows: AuditRow[] = [
    { at: "", event: "call", grant: "g1", label: "claude", tool: "bash" },
    // Its token was revoked while it called.
    { at: "", event: "call", grant: "g1", tool: "late" },
    { at: "", event: "call", grant: "g2", label: "", tool: "unnamed" },
    { at: "", event: "approval allowed", grant: "g3", label: "codex" },
    { at: "", event: "terminal created", label: "pi", arguments: { owner: "agent" } },
    { at: "", event: "grant created", grant: "g4", label: "new", arguments: { role: "agent" } },
    { at: "", event: "stepped in", grant: "p1", label: "Ada (team)", terminal: "pty-1" },
    { at: "", event: "handed back", grant: "p2", terminal: "pty-1" },
    { at: "", event: "terminal promoted", grant: "p1", label: "Ada (team)" },
    { at: "", event: "recording ended", terminal: "pty-1" },
    { at: "", event: "wrong code", label: "this machine" },
  ];
  timeline.onEntries({ type: "audit:entries", entries: rows, before: null, isOlder: false });
  expect(timeline.agents.value).toEqual(["an agent", "claude", "codex", "new", "pi"]);
  const who = timeline.shown.value.map((deed) => deed.who);
  expect(who.filter((name) => /^[gp]\d$/.test(name))).toEqual([]);
  timeline.filter.value = { ...timeline.filter.value, who: "claude" };
  expect(timeline.shown.value.map(({ what }) => what)).toEqual(["bash", "late"]);
});

test("GR31 very many live ones push out the oldest; what was skipped is said until it is read anew", () => {
  const { timeline, tools } = opened();
  for (let count = 0; count < MAX_KEPT + 5; count += 1) timeline.onEntry(entry(`${count}`));
  expect([tools().length, tools()[0]]).toEqual([MAX_KEPT, "5"]);
  timeline.onSkipped(7);
  timeline.onSkipped(1);
  expect(timeline.skipped.value).toBe(8);
  timeline.onEntries({ type: "audit:entries", entries: [], before: null, isOlder: false });
  expect([timeline.skipped.value, tools()]).toEqual([0, []]);
  timeline.onError("no");
  expect([timeline.refusal.value, timeline.isLoading.value]).toEqual(["no", false]);
});
