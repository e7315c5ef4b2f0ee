// The conversations of a bridge, with agents and clocks that the test moves.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { GrantEvent } from "../grants/grant-table.ts";
import { Emitter } from "../emitter.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import type { StoredConversation } from "./conversation.ts";
import type { AgentPort, AgentWire } from "./agent-ports.ts";
import { AgentFault } from "./agent-ports.ts";
import type { ConversationsDeps, ConversationsEvent } from "./conversations.ts";
import { Conversations } from "./conversations.ts";
import { MAX_CONVERSATIONS, MAX_PER_AGENT } from "./conversation-table.ts";
import { LOST_GRACE_MS, TERMINAL_GRACE_MS } from "./lost-agent-timers.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const AGENT = createGrant("aaaaaaaaaa", { label: "bot" });
const ANA = callerWith(createGrant("bbbbbbbbbb", { role: "edit", label: "Ana" }), "people");

function world(port: Partial<AgentPort> = {}, canLoad = false) {
  const swept: string[] = [];
  const news: ConversationsEvent[] = [];
  const saved = new Map<string, StoredConversation>();
  const closed: string[] = [];
  const grants = new Emitter<[GrantEvent]>();
  const withdrawn: string[] = [];
  let isLive = true;
  let sessions = 0;
  const agentPort: AgentPort = {
    initialize: () =>
      Promise.resolve({
        name: "bot",
        version: "1",
        canLoad,
        canClose: false,
        takesHttp: false,
        logins: [],
      }),
    openSession: () => Promise.resolve({ session: `s${(sessions += 1)}`, modes: undefined }),
    loadSession: (session) => Promise.resolve({ session, modes: undefined }),
    prompt: () => new Promise(() => {}),
    cancel: () => {},
    setMode: () => Promise.resolve(),
    closeSession: () => Promise.resolve(),
    close: () => {},
    closed: new Promise(() => {}),
    ...port,
  };
  const parts: ConversationsDeps = {
    connect: () => agentPort,
    terminals: {
      create: () => Promise.resolve({ ok: false, error: "none here" }),
      readOutput: () => Promise.resolve(undefined),
      waitForExit: () => Promise.resolve(undefined),
      kill: () => Promise.resolve(false),
      release: () => Promise.resolve(false),
      releaseAll: (id) => Promise.resolve(void swept.push(id)),
    },
    shownTerminals: { findId: () => undefined, apply: () => {}, endForConversation: () => {} },
    files: { read: () => Promise.resolve(""), write: () => Promise.resolve() },
    approvals: {
      request: () => Promise.resolve({ ok: false, error: "nobody" }),
      onEvent: () => () => {},
      onSubjectEnded: (subject) => void withdrawn.push(subject),
    },
    judge: () => ({ verdict: "safe", why: [] }),
    offer: () => ({ servers: [], end: () => {} }),
    getFloor: () => "none",
    audit: { write: () => {} },
    log: { info: () => {}, error: (line) => void closed.push(line), warn: () => {} },
    store: {
      load: () => [...saved.values()],
      save: (kept) => void saved.set(kept.facts.id, kept),
      forget: (id) => void saved.delete(id),
    },
    grants: {
      lookUp: (id) => (isLive && id === AGENT.id ? AGENT : undefined),
      onEvent: (listener) => grants.add(listener),
    },
    pool: { get: () => undefined, onEvent: () => () => {} },
    releasedTerminals: { trim: () => Promise.resolve() },
  };
  const service = new Conversations(parts);
  service.onEvent((one) => void news.push(one));
  const join = (overrides: Partial<AgentWire> = {}, grant = AGENT) =>
    service.serve(callerWith(grant), {
      via: "stdio",
      stream: { readable: new ReadableStream(), writable: new WritableStream() },
      folder: "/work",
      isolation: "none",
      isLocal: true,
      waitForDrain: () => Promise.resolve(),
      close: (sentence) => void closed.push(sentence),
      ...overrides,
    });
  const revoke = () => {
    isLive = false;
    grants.fire({ event: "revoked", grant: AGENT });
  };
  return { service, parts, news, saved, swept, closed, join, revoke };
}

/** Lets pending promises settle. */
async function settled(): Promise<void> {
  await vi.advanceTimersByTimeAsync(100);
}

test("AC19 AC104 an agent that cannot load is over at once, and its terminals end after a grace", async () => {
  const { service, join, swept } = world();
  const leave = join();
  await settled();
  leave("bot has ended: exit 1");
  const [messages] = service.list();
  expect(messages).toMatchObject({ state: "ended", why: "bot has ended: exit 1" });
  await vi.advanceTimersByTimeAsync(TERMINAL_GRACE_MS - 1);
  expect(swept).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(swept).toEqual([messages?.id]);
});

test("AC106 one that can load is lost: back in time it keeps its terminals, else it ends", async () => {
  const { service, join, swept } = world({}, true);
  const leave = join();
  await settled();
  leave();
  expect(service.list()).toMatchObject([{ state: "lost", why: "bot has closed the connection" }]);
  const again = join();
  await settled();
  expect(service.list()).toMatchObject([{ state: "idle" }]);
  await vi.advanceTimersByTimeAsync(TERMINAL_GRACE_MS);
  expect(swept).toEqual([]);
  again();
  await vi.advanceTimersByTimeAsync(LOST_GRACE_MS);
  expect(service.list()).toMatchObject([{ state: "ended", why: expect.stringMatching(/did not/) }]);
  expect(swept.length).toBeGreaterThan(0);
});

test("AC106 an agent that fails to load leaves what was said, and ends; a revoked token ends it, too", async () => {
  const failing = world(
    { loadSession: () => Promise.reject(new AgentFault("no such session")) },
    true,
  );
  const leave = failing.join();
  await settled();
  const id = failing.service.list()[0]?.id ?? "";
  failing.service.prompt(ANA, id, "remember");
  leave();
  await settled();
  const before = failing.service.getSnapshot(id)?.entries;
  expect(before?.map(({ kind }) => kind)).toEqual(["prompt", "note"]);
  failing.join();
  await settled();
  const [first, second] = failing.service.list();
  expect(first).toMatchObject({ id, state: "ended", why: "no such session" });
  expect(second).toMatchObject({ state: "idle" });
  expect(failing.service.getSnapshot(id)?.entries).toEqual(before);
  const revoked = world({}, true);
  revoked.join()();
  await settled();
  const gone = revoked.join();
  await settled();
  gone();
  revoked.revoke();
  expect(revoked.service.list().at(-1)).toMatchObject({ state: "ended" });
});

test("AC20 AC105 the last 50 are kept, half of them of one agent: an ended one makes way, and with none a new one is refused", async () => {
  const { service, join, news, saved, closed } = world();
  for (let count = 0; count <= MAX_PER_AGENT; count++) {
    join();
    await settled();
  }
  expect(service.list()).toHaveLength(MAX_PER_AGENT);
  expect(closed.splice(0)).toEqual([expect.stringMatching(/This agent has 25 conversations/)]);
  const others = { ...AGENT, id: "others" };
  for (let count = MAX_PER_AGENT; count < MAX_CONVERSATIONS; count++) {
    join({}, others);
    await settled();
  }
  join({}, { ...AGENT, id: "third" });
  await settled();
  expect(service.list()).toHaveLength(MAX_CONVERSATIONS);
  expect(closed).toEqual([expect.stringMatching(/Too many conversations/)]);
  await vi.advanceTimersByTimeAsync(2_000);
  const oldest = service.list()[0]?.id ?? "";
  expect(saved.has(oldest)).toBe(true);
  service.end(ANA, oldest);
  join();
  await settled();
  expect(service.list()).toHaveLength(MAX_CONVERSATIONS);
  expect(news).toContainEqual({ news: "gone", id: oldest });
  expect(saved.has(oldest)).toBe(false);
});

test("AC14 an agent that fails at its start is closed with a sentence, and nothing waits for it", async () => {
  const mute = world({ initialize: () => Promise.reject(new AgentFault("it says nothing")) });
  const outcomes: unknown[] = [];
  mute.join({ prompt: "hi", onTurnEnded: (outcome) => void outcomes.push(outcome) });
  await settled();
  expect(mute.closed).toEqual(["it says nothing"]);
  expect(outcomes).toEqual([{ error: "it says nothing" }]);
  expect(mute.service.list()).toEqual([]);
  const broken = world({ initialize: () => Promise.reject(new TypeError("a bug of ours")) });
  broken.join();
  await settled();
  expect(broken.closed[0]).toMatch(/a bug of ours/);
  expect(broken.closed[1]).toMatch(/internal error/);
});

test("PE24 a prompt and an end are signed with the chosen name and the label beside it", async () => {
  const { service, join } = world();
  join();
  await settled();
  const id = service.list()[0]?.id ?? "";
  const caller = callerWith(createGrant("bbbbbbbbbb", { role: "edit", label: "team" }), "people");
  const ada = { ...caller, status: { name: "Ada" } };
  service.prompt(ada, id, "go");
  await settled();
  expect(service.getSnapshot(id)?.entries).toMatchObject([{ kind: "prompt", by: "Ada (team)" }]);
  service.end(ada, id);
  await settled();
  expect(service.list()).toMatchObject([{ state: "ended", why: "ended by Ada (team)" }]);
});
