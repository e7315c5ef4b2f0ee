// Questions in the agent's own client, with the SDK's client on both wires, in this process.

import type { ClientCapabilities, ElicitResult, Progress } from "@modelcontextprotocol/client";
import {
  Client,
  StreamableHTTPClientTransport,
  withInputRequired,
} from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { callerWith, createGrant } from "../../../test/support/caller.ts";
import { attendedDesk } from "../../../test/support/desk.ts";
import type { Approvals } from "../../approvals/approvals.ts";
import type { Grant } from "../../grants/grant-table.ts";
import { createLog } from "../../log.ts";
import { AgentTerminals } from "../../agents/agent-terminals.ts";
import { McpDialect } from "./dialect.ts";
import { PROGRESS_MS } from "./question-form.ts";
import { toRefusedAnswer, tool } from "./tools/tool-row.ts";

/** `local`: as at `mcp.sock`, without HTTP. */
const WIRES = ["2025", "2026", "local"] as const;
type Wire = (typeof WIRES)[number];
const PERSON = { label: "a person", door: "people" };

interface World {
  readonly terms?: Partial<Grant>;
  readonly can?: ClientCapabilities["elicitation"];
  readonly isSomebodyThere?: boolean;
}

/** A tool that requests approval for its input, and the approvals behind it. */
function setUp({ terms = {}, can, isSomebodyThere = true }: World) {
  const { approvals, audit, there } = attendedDesk();
  there.person = isSomebodyThere;
  const grant = createGrant("aaaaaaaaaa", { label: "Cursor", ...terms });
  const caller = callerWith(grant, "http");
  const run = tool({
    name: "run",
    set: "terminals",
    scope: "spawn",
    title: "Run",
    description: "Runs what it is told",
    input: z.object({ command: z.string() }),
    output: z.object({ ran: z.string() }),
    hints: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    mayTakeLong: () => true,
    handle: async ({ caller: by, signal, client }, { command }) => {
      const permission = await approvals.request({
        caller: by,
        kind: "command",
        via: "run",
        command,
        cwd: "/work",
        judgement: { verdict: "dangerous", why: ["it is"] },
        isolation: "none",
        key: `${by.grantId} ${command}`,
        signal,
        client,
      });
      if (!permission.ok) return toRefusedAnswer(permission.error);
      const result = {
        content: [{ type: "text" as const, text: command }],
        structuredContent: { ran: command },
      };
      return { result, outcome: "ok" };
    },
  });
  const agents = new AgentTerminals({
    pool: {
      running: () => [],
      get: () => undefined,
      promote: () => {},
      close: () => Promise.resolve(),
      fetch: () => Promise.reject(new Error("none")),
      watch: () => () => {},
    },
    screens: { view: () => Promise.reject(new Error("none")) },
    pipeline: { run: () => Promise.resolve({ ok: false, error: "none" }) },
    findProgram: () => "",
  });
  const dialect = new McpDialect({
    agents,
    tools: [run],
    audit: { write: () => {} },
    log: createLog("error", (line) => expect.unreachable(line)),
    events: { onActivity: () => () => {}, onEvent: () => () => {} },
    openCaller: () => ({ caller, leave: () => {} }),
    onSessionDeleted: () => {},
    linkTo: (id) => `https://relay.example/w/abc/approve/${id}`,
  });
  onTestFinished(async () => {
    await dialect.close();
    approvals.dispose();
  });
  const connect = async (
    wire: Wire,
    shown?: (params: Shown, signal: AbortSignal) => Promise<ElicitResult>,
  ) => {
    const client = new Client(
      { name: "test", version: "1" },
      {
        capabilities: can === undefined ? {} : { elicitation: can },
        versionNegotiation: { mode: wire === "2026" ? "auto" : "legacy" },
      },
    );
    if (shown !== undefined) {
      client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) =>
        shown(Asked.parse(params), mcpReq.signal),
      );
    }
    const overHttp = new StreamableHTTPClientTransport(new URL("http://bridge/mcp"), {
      fetch: (url, init) => dialect.serve(caller, new Request(url, init)),
    });
    const [near, far] = InMemoryTransport.createLinkedPair();
    if (wire === "local") await dialect.createServer(caller, false).connect(far);
    await client.connect(wire === "local" ? near : overHttp);
    onTestFinished(() => client.close());
    const call = (command: string, onprogress?: (progress: Progress) => void) =>
      client.callTool(
        { name: "run", arguments: { command } },
        onprogress === undefined ? {} : { onprogress },
      );
    return { client, call };
  };
  return { approvals, audit, connect };
}

const Asked = z.looseObject({ mode: z.string(), message: z.string() });
type Shown = z.infer<typeof Asked>;

const openId = async ({ approvals }: { approvals: Approvals }) =>
  await vi.waitFor(() => approvals.listOpen()[0]?.id ?? expect.unreachable("nothing is asked"));

test.each(WIRES)(
  "Q16 Q85 %s: a link to the page is shown; what its client says is no yes",
  async (wire) => {
    const world = setUp({ can: { url: {}, form: {} }, isSomebodyThere: false });
    const shown: Shown[] = [];
    const { call } = await world.connect(wire, async (params) => {
      shown.push(params);
      return { action: "accept", content: { answer: "once" } };
    });
    const running = call("git clean -fdx");
    const id = await openId(world);
    await vi.waitFor(() => expect(shown).toHaveLength(1));
    expect(shown[0]).toMatchObject({
      mode: "url",
      url: `https://relay.example/w/abc/approve/${id}`,
      message: expect.stringContaining("Cursor wants to run in /work: git clean -fdx (it is)"),
    });
    // The client's own yes has arrived by now and must not count.
    await vi.waitFor(() => expect(world.approvals.waiting).toBe(1));
    expect(world.approvals.listOpen()).toHaveLength(1);
    world.approvals.answer(id, "once", PERSON);
    expect(await running).toMatchObject({ structuredContent: { ran: "git clean -fdx" } });
    expect(shown).toHaveLength(1);
  },
);

test.each(WIRES)("Q84 %s: a grant that trusts its client takes a form's answer", async (wire) => {
  const world = setUp({
    terms: { trustClient: true },
    can: { form: {} },
    isSomebodyThere: false,
  });
  const shown: Shown[] = [];
  const answers: ElicitResult[] = [
    { action: "accept", content: { answer: "once" } },
    { action: "accept", content: { answer: "deny" } },
    { action: "decline" },
  ];
  const { call } = await world.connect(wire, async (params) => {
    shown.push(params);
    return answers[shown.length - 1] ?? { action: "cancel" };
  });
  expect(await call("one")).toMatchObject({ structuredContent: { ran: "one" } });
  expect(shown[0]).toMatchObject({
    mode: "form",
    requestedSchema: {
      properties: { answer: { type: "string", enum: ["once", "deny"] } },
      required: ["answer"],
    },
  });
  expect(JSON.stringify(shown[0])).not.toContain("default");
  expect(await call("two")).toMatchObject({ isError: true });
  expect(await call("three")).toMatchObject({ isError: true });
  const by = { label: "Cursor", door: "http" };
  expect(world.audit.find(({ event }) => event === "approval allowed")).toMatchObject({
    arguments: { by },
  });
});

test.each(WIRES)("Q86 %s: without the capability, or the trust, nothing is sent", async (wire) => {
  for (const asks of [{}, { can: {} }, { can: { form: {} } }, { terms: { trustClient: true } }]) {
    const world = setUp({ ...asks, isSomebodyThere: false });
    const { call } = await world.connect(wire);
    expect(await call("x")).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("no one is available") }],
    });
    const there = setUp(asks);
    const second = await there.connect(wire);
    const running = second.call("x");
    there.approvals.answer(await openId(there), "deny", PERSON, "no");
    expect(await running).toMatchObject({ content: [{ text: "A person denied this: no" }] });
  }
});

const Round = z.looseObject({
  resultType: z.string().optional(),
  requestState: z.string().optional(),
  isError: z.boolean().optional(),
  structuredContent: z.object({ ran: z.string() }).optional(),
});

/** The rounds of the 2026 wire by hand, as a malicious client would make them. */
async function byHand({ connect }: ReturnType<typeof setUp>) {
  const { client } = await connect("2026");
  return async (command: string, requestState?: string, answer = "once") => {
    const inputResponses = { approval: { action: "accept", content: { answer } } };
    const again = requestState === undefined ? {} : { requestState, inputResponses };
    const params = { name: "run", arguments: { command }, ...again };
    const round = await client.request({ method: "tools/call", params }, withInputRequired(Round), {
      allowInputRequired: true,
    });
    return Round.parse(round);
  };
}

const TRUSTED = { terms: { trustClient: true }, can: { form: {} } } as const;

test("Q17 Q87 an answer counts for the plan that was shown, and once", async () => {
  const world = setUp(TRUSTED);
  const round = await byHand(world);
  const { requestState } = await round("one");
  expect(requestState).toBeDefined();
  // Other arguments are another question, so the yes does not count.
  const other = await round("two", requestState);
  expect(other.resultType).toBe("input_required");
  expect(world.approvals.listOpen().map(({ command }) => command)).toEqual(["one", "two"]);
  expect(await round("one", requestState)).toMatchObject({ structuredContent: { ran: "one" } });
  // The state was used: the question is repeated.
  expect(await round("one", requestState)).toMatchObject({ resultType: "input_required" });
  const used = world.audit.filter(({ event }) => event === "approval used");
  expect(used).toMatchObject([{ arguments: { command: "one" } }]);
});

test("Q87 a seal of another grant, of another bridge, or a broken one says nothing", async () => {
  const world = setUp(TRUSTED);
  const round = await byHand(world);
  const { requestState = "" } = await round("one");
  const foreign = await (await byHand(setUp(TRUSTED)))("one");
  const [version, body = "", mac] = requestState.split(".");
  const forged = JSON.parse(Buffer.from(body, "base64url").toString()) as object;
  const changed = Buffer.from(JSON.stringify({ ...forged, exp: 9e9 })).toString("base64url");
  for (const state of [foreign.requestState, `${version}.${changed}.${mac}`, "x", ""]) {
    expect(await round("one", state)).toMatchObject({ resultType: "input_required" });
  }
  expect(world.audit.some(({ event }) => event === "approval allowed")).toBe(false);
  const bound = world.approvals.listOpen()[0];
  expect(bound?.agent.grant).toBe("aaaaaaaaaa");
});

test("Q87 a seal is good for 5 minutes", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const world = setUp(TRUSTED);
  const round = await byHand(world);
  const { requestState } = await round("one");
  vi.setSystemTime(Date.now() + 301_000);
  expect(await round("one", requestState)).toMatchObject({ resultType: "input_required" });
});

test("Q85 what is not offered, and a form's yes without trust, is no yes", async () => {
  const world = setUp(TRUSTED);
  const round = await byHand(world);
  const { requestState } = await round("one");
  const running = round("one", requestState, "session");
  world.approvals.answer(await openId(world), "deny", PERSON);
  expect(await running).toMatchObject({ isError: true });
  const link = setUp({ can: { url: {}, form: {} } });
  const byLink = await byHand(link);
  const shown = await byLink("one");
  const again = byLink("one", shown.requestState);
  link.approvals.answer(await openId(link), "deny", PERSON);
  expect(await again).toMatchObject({ isError: true });
});

test("Q84 a form that cannot hold all of a command is not shown", async () => {
  const world = setUp(TRUSTED);
  const round = await byHand(world);
  const running = round("x".repeat(3_000));
  world.approvals.answer(await openId(world), "deny", PERSON);
  expect(await running).toMatchObject({ isError: true });
});

test("Q86 2025: what its client shows ends with the wait", async () => {
  const world = setUp({ can: { url: {} } });
  let cancelled = false;
  const { call } = await world.connect("2025", (_params, signal) => {
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        cancelled = true;
        resolve({ action: "cancel" });
      });
    });
  });
  const running = call("one");
  world.approvals.answer(await openId(world), "once", PERSON);
  expect(await running).toMatchObject({ structuredContent: { ran: "one" } });
  await vi.waitFor(() => expect(cancelled).toBe(true));
});

test.each(WIRES)(
  "M20 %s: a client that takes progress shows what a held call waits for, as long as it waits",
  async (wire) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const world = setUp({});
    const { call } = await world.connect(wire);
    const shown: Progress[] = [];
    const running = call("git clean\n -fdx", (progress) => void shown.push(progress));
    const id = await openId(world);
    await vi.waitFor(() => expect(shown).toHaveLength(1));
    const link = `https://relay.example/w/abc/approve/${id}`;
    const message = `Waiting for a person to answer approval ${id} at ${link}: git clean -fdx`;
    expect(shown[0]).toMatchObject({ progress: 0, message });
    await vi.advanceTimersByTimeAsync(PROGRESS_MS);
    await vi.waitFor(() => expect(shown).toHaveLength(2));
    expect(shown[1]).toMatchObject({ progress: 5, message });
    world.approvals.answer(id, "once", PERSON);
    expect(await running).toMatchObject({ structuredContent: { ran: "git clean\n -fdx" } });
    await vi.advanceTimersByTimeAsync(3 * PROGRESS_MS);
    // A client without a progress token gets no progress, and waits all the same.
    const quiet = call("second");
    world.approvals.answer(await openId(world), "deny", PERSON);
    expect(await quiet).toMatchObject({ isError: true });
    expect(shown).toHaveLength(2);
  },
);
