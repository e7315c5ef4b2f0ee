// Owns a bridge's room with a real pty host, into which tests bring coding agents made with the SDK
// and people, without relay and sockets. Every message to an agent is kept, to be checked.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentApp, AgentConnection, AnyMessage } from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { ConversationServerMessage } from "../../protocol/conversation.ts";
import type { Approval } from "../../protocol/approval.ts";
import { AuditLog } from "../../bridge/audit/audit-log.ts";
import type { Caller } from "../../bridge/callers/caller.ts";
import type { AgentWire, TurnOutcome } from "../../bridge/conversations/agent-ports.ts";
import { GrantTable } from "../../bridge/grants/grant-table.ts";
import { createLog } from "../../bridge/log.ts";
import type { RoomDeps } from "../../bridge/run/room.ts";
import { Room } from "../../bridge/run/room.ts";
import { HostClient } from "../../bridge/terminals/host-client.ts";
import { TerminalPool } from "../../bridge/terminals/pool.ts";
import { clear, launchHost } from "./pty-host.ts";
import { Inbox } from "./inbox.ts";
import { createRoomDeps } from "./room-wish.ts";

type Told = ConversationServerMessage | { type: "approval:requested"; approval: Approval };

export interface TestPerson {
  readonly caller: Caller;
  say(message: object): void;
  /** The next message that fits, of those nobody waited for yet. */
  hear<T extends Told["type"]>(
    type: T,
    fits?: (message: Extract<Told, { type: T }>) => boolean,
  ): Promise<Extract<Told, { type: T }>>;
  /** Answers the next question. */
  answer(answer: "once" | "deny", reason?: string): Promise<Approval>;
  leave(): void;
}

export interface TestAgent {
  readonly connection: AgentConnection;
  readonly caller: Caller;
  /** What the bridge sent it, and what it said. */
  readonly sent: AnyMessage[];
  readonly received: AnyMessage[];
  readonly closed: Promise<string>;
  readonly texts: string[];
  readonly turn: Promise<TurnOutcome>;
  /** The connection breaks. */
  cut(why?: string): void;
}

let shared: Awaited<ReturnType<typeof launchHost>> | undefined;

/** One pty host for all rooms of a file, one after the other. */
export function shareHost(): void {
  beforeAll(async () => {
    shared = await launchHost();
  });
  afterAll(() => shared?.end());
}

export class AcpRoom {
  readonly folder: string;
  readonly state: string;
  readonly pool: TerminalPool;
  readonly grants: GrantTable;
  readonly logged: string[] = [];
  readonly #options: Partial<RoomDeps>;
  readonly #instance: string;
  #room: Room;

  private constructor(base: string, host: HostClient, options: Partial<RoomDeps>) {
    this.folder = join(base, "work");
    this.state = join(base, "state");
    mkdirSync(this.folder);
    mkdirSync(this.state);
    this.#options = options;
    this.#instance = host.welcome.instance;
    const log = createLog("info", (line) => void this.logged.push(line));
    const { folder } = this;
    this.pool = new TerminalPool({ folder, shell: "/bin/sh", environment: process.env, log });
    this.pool.adopt(host);
    this.grants = new GrantTable(join(this.state, "grants.json"));
    this.#room = this.#open();
  }

  static async start(options: Partial<RoomDeps> = {}): Promise<AcpRoom> {
    if (shared === undefined) throw new Error("shareHost() comes first");
    const process_ = shared;
    const base = realpathSync(mkdtempSync(join(tmpdir(), "pp-acp-")));
    const host = await HostClient.connect(process_.socket);
    const made = new AcpRoom(base, host, options);
    onTestFinished(async () => {
      made.#room.dispose();
      host.close();
      await clear(process_);
      rmSync(base, { recursive: true, force: true });
    });
    return made;
  }

  get room(): Room {
    return this.#room;
  }

  get audit(): string {
    return readFileSync(join(this.state, "audit.log"), "utf8");
  }

  /** As another bridge that takes over. */
  restart(): void {
    this.#room.dispose();
    this.#room = this.#open();
  }

  person(role: "edit" | "view" = "edit", label = "Ana"): TestPerson {
    const { grant } = this.grants.mint({ role, scopes: [], label, expiresAt: null, session: true });
    const inbox = new Inbox<Told>((message) => JSON.stringify(message).slice(0, 120));
    const deliver = (text: string) => inbox.put(JSON.parse(text));
    const caller: Caller = {
      door: {
        name: "people",
        proof: "socket",
        sendAll: (callers, text) => {
          for (const one of callers) one.send(text);
        },
      },
      since: 0,
      grantId: grant.id,
      grant: () => this.grants.lookUp(grant.id),
      send: deliver,
      close: () => {},
    };
    const leave = this.room.hub.open(caller);
    const hear: TestPerson["hear"] = async (type, fits = () => true) => {
      const isIt = (message: Told): message is Extract<Told, { type: typeof type }> =>
        message.type === type;
      const found = await inbox.next(type, (message) => isIt(message) && fits(message));
      if (!isIt(found)) throw new Error("another message");
      return found;
    };
    const say = (message: object) =>
      this.room.hub.handleMessage(caller, Buffer.from(JSON.stringify(message)));
    return {
      caller,
      say,
      hear,
      leave,
      answer: async (answer, reason) => {
        const { approval } = await hear("approval:requested");
        say({ type: "approval:answer", id: approval.id, answer, reason });
        return approval;
      },
    };
  }

  /** Brings an agent in; `name` is who it is. */
  join(app: AgentApp, request: Partial<AgentWire> = {}, name = "bot"): TestAgent {
    const known = this.grants.list().find(({ label }) => label === name);
    const grant =
      known ??
      this.grants.mint({
        role: "agent",
        scopes: ["read", "spawn"],
        label: name,
        expiresAt: null,
        session: true,
      }).grant;
    const caller: Caller = {
      door: { name: "mcp", proof: "socket", sendAll: () => {} },
      since: 0,
      grantId: grant.id,
      grant: () => this.grants.lookUp(grant.id),
      send: () => {},
      close: () => cut("its token has ended"),
    };
    const sent: AnyMessage[] = [];
    const toAgent = new TransformStream<AnyMessage, AnyMessage>({
      transform: (message, controller) => {
        const copy: AnyMessage = JSON.parse(JSON.stringify(message));
        sent.push(copy);
        controller.enqueue(copy);
      },
    });
    const received: AnyMessage[] = [];
    const fromAgent = new TransformStream<AnyMessage, AnyMessage>({
      transform: (message, controller) => {
        received.push(message);
        controller.enqueue(message);
      },
    });
    const connection = app.connect({ readable: toAgent.readable, writable: fromAgent.writable });
    let close = (_sentence: string) => {};
    const closed = new Promise<string>((resolve) => {
      close = resolve;
    });
    let ended = (_outcome: TurnOutcome) => {};
    const turn = new Promise<TurnOutcome>((resolve) => {
      ended = resolve;
    });
    const texts: string[] = [];
    const leaveHub = this.room.hub.open(caller);
    const over = this.room.conversations.serve(caller, {
      via: "stdio",
      stream: { readable: fromAgent.readable, writable: toAgent.writable },
      folder: this.folder,
      isolation: "none",
      isLocal: true,
      waitForDrain: () => Promise.resolve(),
      onText: (text) => void texts.push(text),
      onTurnEnded: ended,
      close: (sentence) => close(sentence),
      ...request,
    });
    const cut = (why?: string) => {
      connection.close();
      leaveHub();
      over(why);
    };
    return { connection, caller, sent, received, closed, texts, turn, cut };
  }

  #open(): Room {
    const log = createLog("info", (line) => void this.logged.push(line));
    const { folder, state } = this;
    const ground = {
      pool: this.pool,
      grants: this.grants,
      audit: new AuditLog(join(state, "audit.log"), () => {}),
      log,
      folder,
      state,
      instance: () => this.#instance,
    };
    return new Room(createRoomDeps(ground, this.#options));
  }
}
