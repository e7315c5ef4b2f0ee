// Owns one run of the bridge in one folder, from nothing to ready and back: host, relay, grants,
// link. Does not print; whoever opened it is told by events.

import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod/mini";
import { GrantRecord } from "../protocol/grant.ts";
import { parseText } from "../protocol/json.ts";
import { AuditLog, auditRoom } from "./agents/audit.ts";
import { Inactivity } from "./agents/inactivity.ts";
import { previewAgents } from "./agents/preview.ts";
import { AgentTerminals } from "./agents/service.ts";
import type { BridgeEvent } from "./bridge.ts";
import { Bridge } from "./bridge.ts";
import { McpDialect } from "./dialects/mcp/dialect.ts";
import type { Fixtures } from "./dialects/mcp/fixtures.ts";
import { agentDoor } from "./dialects/mcp/local-door.ts";
import type { EmbeddedRelay } from "./embedded-relay/start-relay.ts";
import { linkSocket } from "./embedded-relay/control.ts";
import { endRecordedRelay, openRelay, relayFolder } from "./embedded-relay/start-relay.ts";
import type { UserError } from "./errors.ts";
import { messageOf } from "./errors.ts";
import { FirstLink } from "./first-link.ts";
import { grantsFile, GrantTable } from "./grants/table.ts";
import type { RelayAddress } from "./link/address.ts";
import { parseRelayAddress } from "./link/address.ts";
import type { DialProblem } from "./link/dial-problem.ts";
import { endRoom } from "./link/end-room.ts";
import type { Credentials } from "./link/handshake.ts";
import type { Route } from "./link/route.ts";
import { routeTo, STRAIGHT } from "./link/route.ts";
import type { LocalSocket } from "./local-socket.ts";
import type { PartsWish } from "./open-parts.ts";
import { openParts } from "./open-parts.ts";
import { judgeArgv } from "./policy/policy.ts";
import { Screens } from "./screens/screens.ts";
import type { HostClient } from "./terminals/host-client.ts";
import { TerminalPool } from "./terminals/pool.ts";
import { endHost, openHost } from "./terminals/start-host.ts";
import { sweepInstance } from "./terminals/sweep.ts";
import { ownPlaces } from "./workspace/folders.ts";
import type { Identity } from "./workspace/identity.ts";

const RETRY_MS = 500;

/** What a bridge leaves with the pty host for the one that takes over. */
const HostState = z.object({
  version: z.literal(1),
  /** The workspace's: grants of what `--new` gave up are nobody's. */
  generation: z.string(),
  session: z.array(GrantRecord),
});

export interface SessionOptions extends PartsWish {
  readonly insecure: boolean;
  /** A file of authorities to trust on the link, beside the usual ones. */
  readonly ca?: string | undefined;
  readonly shell: string;
  readonly relayKey: string | undefined;
  /** After this long without activity an agent's background terminal is closed. */
  readonly agentIdleMs: number;
  /** Folders beside the workspace's own that agents may start things in, as real paths. */
  readonly agentRoots: readonly string[];
  /** Variables that agents' children get though they look like secrets. */
  readonly agentEnvironment: readonly string[];
  /** What a test suite adds to every MCP server; undefined for people. */
  readonly fixtures?: Fixtures | undefined;
  /** False only to measure what screens cost. */
  readonly areScreensFed: boolean;
  readonly onEvent: (event: BridgeEvent) => void;
  /** The link could not be had; it is dialled again. */
  readonly onDialFailed: (problem: DialProblem) => void;
}

export class Session {
  readonly address: RelayAddress;
  readonly pool: TerminalPool;
  readonly grants: GrantTable;
  readonly bridge: Bridge;
  /** Terminals that were there already. */
  readonly adopted: number;
  /** Unix ms. */
  readonly startedAt = Date.now();
  readonly audit: AuditLog;
  readonly #inactivity: Inactivity;
  readonly #localDoor: LocalSocket;
  readonly #mcp: McpDialect;
  readonly #screens: Screens;
  readonly #options: SessionOptions;
  readonly #first: FirstLink;
  #relay: EmbeddedRelay | undefined;
  #host: HostClient;
  #ending = false;

  private constructor(
    options: SessionOptions,
    { address, route }: { address: RelayAddress; route: Route },
    relay: EmbeddedRelay | undefined,
    host: HostClient,
  ) {
    const { folders, identity, log, shell, relayKey } = options;
    this.#options = options;
    this.address = address;
    this.#first = new FirstLink(address);
    if (relay !== undefined) this.#watchRelay(relay);
    this.#host = host;
    this.grants = new GrantTable(grantsFile(folders.state));
    this.grants.adoptSession(readHostState(host, identity.generation));
    this.grants.onSessionChange = (session) => this.#keepSession(session);
    const environment = process.env;
    this.pool = new TerminalPool({ folder: folders.folder, shell, environment, log });
    this.pool.adopt(host);
    this.pool.onHostGone = (ended) => {
      options.onEvent({ event: "host_lost", terminals: ended });
      void this.#replaceHost();
    };
    this.adopted = this.pool.list().length;
    this.audit = new AuditLog(join(folders.state, "audit.log"), (problem) =>
      log.error(`the audit log cannot be written: ${problem}`),
    );
    auditRoom(this.audit, this.pool, this.grants);
    const agents = new AgentTerminals({
      pool: this.pool,
      roots: [folders.folder, ...options.agentRoots],
      letThrough: new Set(options.agentEnvironment),
      judge: (argv, cwd) => judgeArgv([...argv], { cwd, ...ownPlaces(folders) }),
      environment,
      audit: this.audit,
    });
    this.#inactivity = new Inactivity(this.pool, options.agentIdleMs);
    previewAgents(this.pool);
    this.#screens = new Screens(this.pool, log, options.areScreensFed);
    const mcp = new McpDialect({
      pool: this.pool,
      screens: this.#screens,
      agents,
      audit: this.audit,
      fixtures: options.fixtures,
    });
    this.#mcp = mcp;
    this.#localDoor = agentDoor(join(folders.runtime, "mcp.sock"), this.grants, mcp);
    this.bridge = new Bridge({
      address,
      route,
      credentials: credentialsOf(identity, relayKey),
      instance: host.welcome.instance,
      pool: this.pool,
      grants: this.grants,
      mcp,
      screens: this.#screens,
      terminalSocket: join(folders.runtime, "terminal.sock"),
      log,
      onEvent: (event) => {
        if (event.event === "link_up") identity.keepName();
        this.#first.onEvent(event);
        options.onEvent(event);
      },
      onDialFailed: (problem) => {
        this.#first.onDialFailed(problem);
        options.onDialFailed(problem);
      },
    });
  }

  /** Resolves when terminals can be had; the relay is being dialled by then, and not waited for. */
  static async open(options: SessionOptions): Promise<Session> {
    const { identity, log, insecure } = options;
    // Before anything is started: a wrong address should leave nothing behind.
    const elsewhere =
      options.relay === undefined ? undefined : parseRelayAddress(options.relay, insecure);
    const route =
      elsewhere === undefined
        ? { ...STRAIGHT, socket: linkSocket(relayFolder(options.folders)) }
        : await routeTo(elsewhere, process.env, options.ca, options.log);
    const { host, relay } = await openParts(options);
    if (relay !== undefined) identity.port = relay.port;
    const address = elsewhere ?? parseRelayAddress(`http://127.0.0.1:${relay?.port}`, insecure);
    log.debug(`pty host ${host.welcome.pid}, instance ${host.welcome.instance}`);
    const session = new Session(options, { address, route }, relay, host);
    session.bridge.start();
    session.#localDoor.open();
    const { former } = identity;
    if (former !== undefined) {
      const credentials = credentialsOf(former, options.relayKey);
      void session.linked.then((problem) =>
        problem === undefined ? endRoom({ address, route, credentials, log }) : undefined,
      );
    }
    return session;
  }

  /** Settles once: with nothing when the room has accepted this bridge, else with why it has not. */
  get linked(): Promise<UserError | undefined> {
    return this.#first.outcome;
  }

  /** The room has accepted this bridge, now or before. */
  get hasLinked(): boolean {
    return this.#first.isMade;
  }

  /** The relay is ours, on this machine, and ends with us. */
  get embedded(): boolean {
    return this.#options.relay === undefined;
  }

  /** Ends everything: session grants, link, terminals, pty host, embedded relay. */
  async stop(): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    this.#inactivity.dispose();
    this.#localDoor.close();
    void this.#mcp.close();
    this.#screens.dispose();
    const { instance } = this.#host.welcome;
    for (const grant of this.grants.list()) if (grant.session) this.grants.revoke(grant.id);
    this.bridge.stop();
    await Promise.all([endHost(this.#host), this.#relay?.stop()]);
    if (this.#relay !== undefined) await endRecordedRelay(this.#options.folders);
    sweepInstance(instance);
    this.#host.close();
  }

  /** No link was to be had: terminals that are there are left for another try. */
  async giveUp(): Promise<void> {
    if (this.pool.list().length > 0) this.abandon();
    else await this.stop();
  }

  /** Leaves terminals and relay to the next bridge. */
  abandon(): void {
    this.#ending = true;
    this.#inactivity.dispose();
    this.#localDoor.close();
    void this.#mcp.close();
    this.#screens.dispose();
    this.bridge.stop();
    this.#host.close();
    this.#relay?.release();
  }

  #keepSession(session: GrantRecord[]): void {
    const { generation } = this.#options.identity;
    this.#host.setState(
      JSON.stringify({ version: 1, generation, session } satisfies z.infer<typeof HostState>),
    );
  }

  async #replaceHost(): Promise<void> {
    const { folders, graceMs } = this.#options;
    const host = await this.#insist("pty host", () => openHost(folders, graceMs));
    if (host === undefined) return;
    this.#host = host;
    this.pool.adopt(host);
    this.grants.tellSession();
    this.bridge.restartLink(this.#host.welcome.instance);
  }

  #watchRelay(relay: EmbeddedRelay): void {
    this.#relay = relay;
    relay.onGone = () => void this.#replaceRelay(relay.port);
  }

  /** On the same port, or the links that people have would lead nowhere. */
  async #replaceRelay(port: number): Promise<void> {
    const { folders, log, graceMs } = this.#options;
    log.error(`the embedded relay is gone; starting it again on port ${port}`);
    const wish = { port, fixed: true, graceMs };
    const relay = await this.#insist("relay", () => openRelay(folders, wish, log));
    if (relay !== undefined) this.#watchRelay(relay);
  }

  /** Tries until it succeeds or the session ends; what just died may hold its place for a moment. */
  async #insist<T>(what: string, open: () => Promise<T>): Promise<T | undefined> {
    while (!this.#ending) {
      try {
        return await open();
      } catch (error) {
        this.#options.log.error(`no new ${what}: ${messageOf(error)}`);
        await delay(RETRY_MS);
      }
    }
    return undefined;
  }
}

function credentialsOf(identity: Identity, relayKey: string | undefined): Credentials {
  return {
    workspace: identity.workspace,
    publicKey: identity.publicKey,
    sign: (text) => identity.sign(text),
    ...(relayKey === undefined ? {} : { relayKey }),
  };
}

function readHostState(host: HostClient, generation: string): GrantRecord[] {
  const { state } = host.welcome;
  const parsed = state === null ? undefined : parseText(HostState, state);
  if (parsed?.ok !== true || parsed.value.generation !== generation) return [];
  return parsed.value.session;
}
