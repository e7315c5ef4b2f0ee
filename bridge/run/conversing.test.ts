// Conversations with people: prompts, several readers, an agent's output, and what survives the agent's
// connection and the bridge. Agents are the SDK's, the pty host is real.

import type {
  AgentCapabilities,
  AgentContext,
  AgentRequestHandlersByMethod,
} from "@agentclientprotocol/sdk";
import { agent, RequestError } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import type { Conversation, Entry } from "../../protocol/conversation.ts";
import type { TestPerson } from "../../test/support/acp-room.ts";
import { AcpRoom, shareHost } from "../../test/support/acp-room.ts";
import { misfits } from "../../test/support/acp-schema.ts";
import { until } from "../../test/support/waiting.ts";

shareHost();

const text = (given: string) => ({ content: { type: "text" as const, text: given } });

type Turn = AgentRequestHandlersByMethod["session/prompt"];

/** An agent that streams back its prompt in pieces, or runs the test's own handler. */
function echoing(session = "s1", can: AgentCapabilities = {}, turn: Turn = echo) {
  return agent({ name: "echo" })
    .onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: can }))
    .onRequest("session/new", () => ({
      sessionId: session,
      modes: {
        currentModeId: "ask",
        availableModes: [
          { id: "ask", name: "Ask" },
          { id: "code", name: "Code" },
        ],
      },
    }))
    .onRequest("session/set_mode", ({ params }) => {
      if (params.modeId === "code") return {};
      throw RequestError.invalidParams(undefined, "no such mode");
    })
    .onRequest("session/prompt", turn)
    .onNotification("session/cancel", () => {});
}

/** Untyped: agents send more than the types cover. */
async function sendUpdate(client: AgentContext, sessionId: string, update: object): Promise<void> {
  await client.notify<object>("session/update", { sessionId, update });
}

const echo: Turn = async ({ client, params: { sessionId, prompt } }) => {
  const [first] = prompt;
  const given = first?.type === "text" ? first.text : "";
  await sendUpdate(client, sessionId, { sessionUpdate: "user_message_chunk", ...text(given) });
  await sendUpdate(client, sessionId, { sessionUpdate: "agent_thought_chunk", ...text("hm") });
  for (const piece of given.split(/(?<= )/)) {
    await sendUpdate(client, sessionId, { sessionUpdate: "agent_message_chunk", ...text(piece) });
  }
  await sendUpdate(client, sessionId, { sessionUpdate: "something_new", anything: 1 });
  return { stopReason: "end_turn" };
};

async function begun(person: TestPerson): Promise<Conversation> {
  const changed = await person.hear(
    "conversation:changed",
    ({ conversation }) => conversation.state === "idle",
  );
  return changed.conversation;
}

function listEntries(room: AcpRoom, id: string): readonly Entry[] {
  return room.room.conversations.getSnapshot(id)?.entries ?? [];
}

test("AC16 AC101 several people see one conversation; who prompts is shown, and a View link only reads", async () => {
  const room = await AcpRoom.start();
  const [ana, ben] = [room.person("edit", "Ana"), room.person("view", "Ben")];
  const joined = room.join(echoing());
  const { id, modes } = await begun(ana);
  expect(modes?.available.map((mode) => mode.id)).toEqual(["ask", "code"]);
  for (const person of [ana, ben]) {
    person.say({ type: "conversation:open", id });
    await person.hear("conversation:opened");
  }
  for (const type of ["prompt", "cancel", "mode", "new", "end"]) {
    ben.say({ type: `conversation:${type}`, id, text: "hi", mode: "code" });
    expect((await ben.hear("conversation:error")).code, type).toBe("forbidden");
  }
  ana.say({ type: "conversation:prompt", id, text: "hello there you" });
  ana.say({ type: "conversation:prompt", id, text: "and again" });
  expect((await ana.hear("conversation:error")).error).toMatch(/A turn is running/);
  await ben.hear("conversation:entry", ({ entry }) => entry.kind === "turn");
  const entries = listEntries(room, id);
  expect(entries.map(({ at: _at, ...entry }) => entry)).toEqual([
    { id: "e-1", kind: "prompt", by: "Ana", text: "hello there you" },
    { id: "e-2", kind: "thought", text: "hm" },
    { id: "e-3", kind: "message", text: "hello there you" },
    { id: "e-4", kind: "turn", reason: "end_turn" },
  ]);
  ana.say({ type: "conversation:mode", id, mode: "code" });
  await ben.hear("conversation:changed", (news) => news.conversation.modes?.current === "code");
  ana.say({ type: "conversation:mode", id, mode: "none" });
  expect((await ana.hear("conversation:error")).error).toMatch(/no such mode/);
  ana.say({ type: "conversation:end", id });
  const over = await ben.hear("conversation:changed", (n) => n.conversation.state === "ended");
  expect(over.conversation).toMatchObject({ title: "hello there you", why: "ended by Ana" });
  expect(misfits(joined.sent, joined.received)).toEqual([]);
});

test("AC102 an agent, and whoever is not let in, hears nothing of conversations", async () => {
  const room = await AcpRoom.start();
  const ana = room.person();
  room.join(echoing());
  const { id } = await begun(ana);
  const messages: string[] = [];
  const { grant } = room.grants.mint({
    role: "edit",
    scopes: [],
    label: "x",
    expiresAt: null,
    session: true,
  });
  const local = {
    ...ana.caller,
    door: {
      name: "terminal" as const,
      proof: "socket" as const,
      sendAll: () => void messages.push("all"),
    },
    grantId: grant.id,
    grant: () => grant,
    send: (message: string) => void messages.push(message),
  };
  room.room.hub.open(local);
  const say = (message: object) =>
    room.room.hub.handleMessage(local, Buffer.from(JSON.stringify(message)));
  say({ type: "conversation:open", id });
  say({ type: "conversation:prompt", id, text: "hi" });
  await until(
    "it is answered",
    () => messages.filter((one) => one.includes("forbidden")).length === 2,
  );
  expect(messages.filter((one) => /conversation:(?!error)/.test(one))).toEqual([]);
});

test("AC17 AC103 --prompt is one turn: its text as it comes, and how it ended", async () => {
  const room = await AcpRoom.start();
  const joined = room.join(echoing(), { prompt: "say this" });
  expect(await joined.turn).toEqual({ reason: "end_turn" });
  expect(joined.texts.join("")).toBe("say this");
  const locked = agent({ name: "x" })
    .onRequest("initialize", () => ({
      protocolVersion: 1,
      authMethods: [{ id: "a", name: "Key", description: "set KEY" }],
    }))
    .onRequest("session/new", () => {
      throw RequestError.authRequired();
    });
  const refused = room.join(locked, { prompt: "hi" }, "locked");
  expect(await refused.turn).toEqual({
    error: expect.stringMatching(/^locked needs you to log in first \(set KEY\)/),
  });
  expect(await refused.closed).toMatch(/log in first/);
  expect(room.room.conversations.list().at(-1)).toMatchObject({ state: "ended" });
});

test("AC18 the room's terminals are offered as tools: by stdio here, elsewhere by HTTP with a token of its own", async () => {
  const room = await AcpRoom.start();
  const ana = room.person();
  const here = room.join(echoing());
  await begun(ana);
  const [, begin] = here.sent;
  expect(begin).toMatchObject({
    method: "session/new",
    params: {
      cwd: room.folder,
      mcpServers: [
        { name: "pairpty", command: "pairpty", args: ["mcp", "--name", "bot"], env: [] },
      ],
    },
  });
  const plain = room.join(echoing("s2"), { via: "socket", isLocal: false }, "plain");
  await begun(ana);
  expect(plain.sent[1]).toMatchObject({ params: { mcpServers: [] } });
  const http = echoing("s3", { mcpCapabilities: { http: true } });
  const before = room.grants.list().length;
  const far = room.join(http, { via: "socket", isLocal: false }, "far");
  await until("it is asked for a session", () => far.sent.length > 1);
  const [, asked] = far.sent;
  const token = /Bearer (pp_\w+)/.exec(JSON.stringify(asked))?.[1] ?? "";
  const own = room.grants.list().find(({ id }) => token.includes(id));
  expect(own).toMatchObject({ role: "agent", label: "far", scopes: ["read", "spawn"] });
  expect(own?.id).not.toBe(far.caller.grantId);
  far.cut();
  expect(room.grants.lookUp(own?.id ?? "")).toBeUndefined();
  expect(room.grants.list().length).toBe(before + 1);
  for (const one of [here, plain, far]) expect(misfits(one.sent, one.received)).toEqual([]);
});

test("AC19 an agent that dies in a turn ends its conversation with why; others go on", async () => {
  const room = await AcpRoom.start();
  const ana = room.person();
  const stuck = echoing("s1", {}, () => new Promise(() => {}));
  const dying = room.join(stuck, {}, "dying");
  const first = await begun(ana);
  room.join(echoing("s2"), {}, "other");
  const second = await begun(ana);
  ana.say({ type: "conversation:prompt", id: first.id, text: "go" });
  await ana.hear("conversation:changed", (news) => news.conversation.state === "working");
  dying.cut("dying has ended: exit 1");
  const over = await ana.hear("conversation:changed", (n) => n.conversation.state === "ended");
  expect(over.conversation).toMatchObject({ id: first.id, why: "dying has ended: exit 1" });
  expect(listEntries(room, first.id).at(-1)).toMatchObject({ kind: "note" });
  ana.say({ type: "conversation:prompt", id: second.id, text: "hi" });
  await until("the other answers", () => listEntries(room, second.id).at(-1)?.kind === "turn");
  ana.say({ type: "conversation:prompt", id: first.id, text: "hi" });
  expect((await ana.hear("conversation:error")).error).toBe("This conversation is over");
});

test("AC20 AC106 after a bridge's restart a conversation comes back by session/load, else it is shown as ended", async () => {
  const room = await AcpRoom.start();
  const ana = room.person();
  const loading = () =>
    echoing("s1", { loadSession: true }).onRequest(
      "session/load",
      async ({ client, params: { sessionId } }) => {
        const remembered = { sessionUpdate: "user_message_chunk", ...text("remember me") };
        await sendUpdate(client, sessionId, remembered);
        await sendUpdate(client, sessionId, {
          sessionUpdate: "agent_message_chunk",
          ...text("I do"),
        });
        return {};
      },
    );
  const first = room.join(loading(), {}, "loads");
  const kept = await begun(ana);
  const forgetful = room.join(echoing("s2"), {}, "forgets");
  const lost = await begun(ana);
  ana.say({ type: "conversation:prompt", id: lost.id, text: "remember me" });
  await until("it answers", () => listEntries(room, lost.id).at(-1)?.kind === "turn");
  room.restart();
  first.cut();
  forgetful.cut();
  const back = room.room.conversations.list();
  expect(back.map(({ id, state }) => [id, state])).toEqual([
    [kept.id, "lost"],
    [lost.id, "ended"],
  ]);
  expect(listEntries(room, lost.id)).toHaveLength(4);
  const again = room.join(loading(), {}, "loads");
  const id = kept.id;
  await until("it is back", () => room.room.conversations.list()[0]?.state === "idle");
  expect(listEntries(room, id).map(({ kind }) => kind)).toEqual(["prompt", "message", "note"]);
  expect(room.room.conversations.list()).toHaveLength(2);
  expect(misfits(again.sent, again.received)).toEqual([]);
});

test("AC21 terminals that an agent only shows are terminals of the room, in either form", async () => {
  const room = await AcpRoom.start();
  const ana = room.person();
  const shows: Turn = async ({ client, params: { sessionId } }) => {
    const say = (update: object) => sendUpdate(client, sessionId, update);
    const content = [{ type: "terminal", terminalId: "mine" }];
    const call = { sessionUpdate: "tool_call", toolCallId: "t", title: "Run", content };
    await say({ ...call, _meta: { terminal_info: { terminal_id: "mine" } } });
    const more = { sessionUpdate: "tool_call_update", toolCallId: "t" };
    await say({ ...more, _meta: { terminal_output: { terminal_id: "mine", data: "a\nb\n" } } });
    await say({ ...more, _meta: { terminal_exit: { terminal_id: "mine", exit_code: 3 } } });
    await say({ ...call, toolCallId: "u", content: [{ type: "terminal", terminalId: "v2" }] });
    const data = Buffer.from("by bytes\r\n").toString("base64");
    await say({ sessionUpdate: "terminal_update", terminalId: "v2", command: "x" });
    await say({ sessionUpdate: "terminal_output_chunk", terminalId: "v2", data });
    return { stopReason: "end_turn" };
  };
  const joined = room.join(echoing("s1", {}, shows));
  const { id } = await begun(ana);
  ana.say({ type: "conversation:prompt", id, text: "run" });
  const shownIn = (index: number) => {
    const tools = listEntries(room, id).filter(({ kind }) => kind === "tool");
    const entry = tools[index];
    return entry?.kind === "tool" ? entry.content[0] : undefined;
  };
  const createTerminal = (index: number) => {
    const piece = shownIn(index);
    return piece?.type === "terminal" ? room.pool.get(piece.terminal) : undefined;
  };
  await until("both are shown", () => [0, 1].every((index) => createTerminal(index) !== undefined));
  const printed = (index: number) => {
    const terminal = createTerminal(index);
    if (terminal === undefined) return Promise.resolve("");
    return room.pool.fetch(terminal, 0, 4_096, ({ bytes }) => bytes.toString());
  };
  await until("the first printed", async () => (await printed(0)).includes("a\r\nb\r\n"));
  await until("the second printed", async () => (await printed(1)).includes("by bytes\r\n"));
  expect(shownIn(0)).toMatchObject({ exit: "exit 3" });
  expect(createTerminal(0)?.meta).toMatchObject({ feed: true, conversation: { id } });
  joined.cut();
  await until("it is over", () => createTerminal(0)?.life.state === "finished");
});
