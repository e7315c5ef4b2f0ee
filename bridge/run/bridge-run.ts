// Owns one run of a bridge in one folder, from start to stop: pty host, relay, grants, doors, link.
// The room's content is in room.ts, the options in run-options.ts. Prints nothing; reports by
// events.

import { workspacePath } from "../../protocol/workspace.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { ElevationGate } from "../callers/elevation-gate.ts";
import type { EmbeddedRelay } from "../embedded-relay/embedded-relay.ts";
import { getLinkSocketPath } from "../embedded-relay/relay-messages.ts";
import {
  endRecordedRelay,
  openEmbeddedRelay,
  getRelayFolder,
} from "../embedded-relay/embedded-relay.ts";
import { DisposableStore } from "../disposable-store.ts";
import type { UserError } from "../errors.ts";
import { GrantExpiry } from "../grants/grant-expiry.ts";
import { grantsFile, GrantTable } from "../grants/grant-table.ts";
import type { RelayAddress } from "../link/relay-address.ts";
import { parseRelayAddress } from "../link/relay-address.ts";
import { endRoom } from "../link/end-room.ts";
import type { DialRoute } from "../link/dial-route.ts";
import { LinkSocket, resolveRoute, DIRECT } from "../link/dial-route.ts";
import type { IsolationService } from "../isolation/isolation-service.ts";
import type { HostClient } from "../terminals/host-client.ts";
import { forgetHost, endHost, openHost } from "../terminals/start-host.ts";
import { TerminalPool } from "../terminals/pool.ts";
import type { DurableFile } from "../workspace/durable-file.ts";
import { sweepInstance, sweepRuns } from "../sweep.ts";
import { endRecordedTunnel } from "../tunnels/tunnel-process.ts";
import {
  toCredentials,
  openAudit,
  openRoom,
  forwardEvents,
  createIsolation,
  openElevationGate,
} from "./run-parts.ts";
import { FirstLink } from "./first-link.ts";
import { readHostState, writeHostState } from "./host-state.ts";
import { startKeepalive, RunTunnel } from "./run-tunnel.ts";
import type { LocalDoors } from "./local-doors.ts";
import { createLocalDoors } from "./local-doors.ts";
import type { Latencies } from "./latencies.ts";
import { measureLatencies } from "./latencies.ts";
import type { RunOptions } from "./run-options.ts";
import { openHostAndRelay } from "./host-and-relay.ts";
import type { PresentPeer } from "./present-peers.ts";
import { listPresentPeers } from "./present-peers.ts";
import { PartRestarter } from "./part-restarter.ts";
import type { Room } from "./room.ts";
import { RoomLink } from "./room-link.ts";
import { settleAll, runSequentially } from "./shutdown-steps.ts";

/**
 * Who ended a bridge on purpose: Ctrl-C or `q` in its window, `pairpty stop`, a signal, or the idle
 * timeout.
 */
export type EndedBy = "window" | "stop" | "signal" | "idle";

/** How long a stop keeps the tunnel open for clients that do not answer. */
const TUNNEL_DRAIN_MS = 1_000;

/** How this bridge and others reach the relay. */
interface RelayRoute {
  readonly address: RelayAddress;
  readonly route: DialRoute;
  readonly tunnel: RunTunnel | undefined;
}

export class BridgeRun {
  /** The address that the bridge dials. Others may use another one: `publicAddress`. */
  readonly address: RelayAddress;
  readonly tunnel: RunTunnel | undefined;
  readonly pool: TerminalPool;
  readonly grants: GrantTable;
  readonly room: Room;
  readonly link: RoomLink;
  /** How many terminals a previous bridge left. */
  readonly adoptedTerminals: number;
  readonly #isTakeover: boolean;
  /** Unix ms. */
  readonly startedAt = Date.now();
  readonly audit: AuditLog;
  readonly isolation: IsolationService;
  /** Decides which requests at this machine's sockets need the run's code. */
  readonly elevationGate: ElevationGate;
  readonly #options: RunOptions;
  readonly #firstLink: FirstLink;
  /** Doors and what depends on them; disposed first. */
  readonly #doors = new DisposableStore();
  readonly #localDoors: Pick<LocalDoors, "close">;
  /** Listeners of terminal events; disposed last, so that they get the final ones. */
  readonly #disposables = new DisposableStore();
  #stopping: Promise<void> | undefined;
  readonly #restarter: PartRestarter;
  #relay: EmbeddedRelay | undefined;
  #host: HostClient;
  #ending: "stop" | "abandon" | undefined;
  #endedBy: EndedBy | undefined;
  #lastSession: number;

  private constructor(
    options: RunOptions,
    { address, route, tunnel }: RelayRoute,
    relay: EmbeddedRelay | undefined,
    host: HostClient,
  ) {
    const { folders, identity, log, shell } = options;
    this.#options = options;
    this.address = address;
    this.tunnel = tunnel;
    this.#firstLink = new FirstLink(address);
    this.#restarter = new PartRestarter(log);
    if (relay !== undefined) this.#watchRelay(relay);
    this.#host = host;
    this.grants = new GrantTable(grantsFile(folders.state), Date.now, { log });
    this.#isTakeover = host.welcome.state !== null;
    const storedState = readHostState(host.welcome.state, identity.generation);
    this.grants.adoptSession(storedState.session);
    const environment = process.env;
    this.pool = new TerminalPool({ folder: folders.folder, shell, environment, log });
    this.pool.adopt(host);
    this.adoptedTerminals = this.pool.count;
    this.audit = openAudit(options);
    this.isolation = createIsolation(options);
    this.elevationGate = openElevationGate(options, this, storedState);
    this.#lastSession = storedState.lastSession;
    // Commands of a bridge that was killed still run: nothing ended them.
    if (host.welcome.state !== null) sweepRuns(host.welcome.instance);
    this.room = this.#openRoom(environment);
    this.link = this.#openLink(route);
    const doors = createLocalDoors({
      ...this.#doorDeps(),
      room: this.room,
      folders,
      link: `${address.origin}${workspacePath(identity.workspace)}`,
    });
    this.#localDoors = doors;
    const expiry = new GrantExpiry(this.grants);
    this.#doors.add(
      () => this.link.stop(),
      () => expiry.dispose(),
      () => doors.close(),
      this.grants.onSessionChange((session) => {
        const { hasAgentCalled } = this.elevationGate;
        const lastSession = this.#lastSession;
        writeHostState(this.#host, identity.generation, { session, hasAgentCalled, lastSession });
      }),
    );
    this.#disposables.add(
      () => this.room.dispose(),
      ...forwardEvents(options, this.room, this),
      this.isolation.watch(this.pool),
      this.pool.onHostGone((ended) => {
        options.onEvent({ event: "host_lost", terminals: ended });
        this.#replaceHost();
      }),
    );
    if (tunnel !== undefined) {
      const people = () => this.room.viewers.all().map(({ caller }) => caller);
      this.#doors.add(startKeepalive(people, (caller) => void this.room.ping(caller)));
    }
    doors.open();
    this.link.start();
    void this.#reportNotes();
  }

  #openRoom(environment: NodeJS.ProcessEnv): Room {
    const { pool, grants, audit, isolation, elevationGate } = this;
    const sessions = {
      last: this.#lastSession,
      keepLast: (number: number) => {
        this.#lastSession = number;
        grants.republishSession();
      },
      instance: () => this.#host.welcome.instance,
    };
    return openRoom(this.#options, {
      pool,
      grants,
      audit,
      isolationService: isolation,
      elevationGate,
      environment,
      sessions,
      getPublicAddress: () => this.publicAddress,
      tunnel: () => this.tunnel?.address,
      confirmed: () => this.link.confirmed(),
    });
  }

  /** Returns the dependencies that relay doors and local doors share. */
  #doorDeps() {
    const { pool, grants } = this;
    const { hub, viewers, getMessages } = this.room;
    return { pool, grants, hub, viewers, messages: getMessages, log: this.#options.log };
  }

  #openLink(route: DialRoute): RoomLink {
    const { folders, identity, relayKey, graceMs, onEvent, onDialFailed } = this.#options;
    return new RoomLink({
      ...this.#doorDeps(),
      agents: this.room.conversations,
      folder: folders.folder,
      address: this.address,
      route,
      credentials: toCredentials(identity, this.tunnel?.key ?? relayKey),
      instance: this.#host.welcome.instance,
      graceMs,
      // Only a bridge stores state with the pty host.
      isTakeover: this.#isTakeover,
      onEvent: (event) => {
        if (event.event === "link_up") identity.keepName();
        this.#firstLink.onEvent(event);
        onEvent(event);
      },
      onDialFailed: (problem) => {
        this.#firstLink.onDialFailed(problem);
        onDialFailed(problem);
      },
    });
  }

  /** Resolves when terminals can be opened; does not wait for the relay, which is being dialled. */
  static async open(options: RunOptions): Promise<BridgeRun> {
    const { identity, log, insecure } = options;
    // Parsed first: a wrong address must leave nothing behind.
    const elsewhere =
      options.relay === undefined ? undefined : parseRelayAddress(options.relay, insecure);
    const route =
      elsewhere === undefined
        ? { ...DIRECT, socket: new LinkSocket(getLinkSocketPath(getRelayFolder(options.folders))) }
        : await resolveRoute(elsewhere, process.env, options.ca, options.log);
    // A bridge that was killed may have left a tunnel and its relay.
    await endRecordedTunnel(options.folders);
    const tunnel = options.tunnel && new RunTunnel({ ...options, plan: options.tunnel });
    const { host, relay } = await openHostAndRelay({ ...options, exposure: tunnel?.exposure });
    if (relay !== undefined) identity.port = relay.port;
    const address = elsewhere ?? parseRelayAddress(`http://127.0.0.1:${relay?.port}`, insecure);
    log.debug(`pty host ${host.welcome.pid}, instance ${host.welcome.instance}`);
    const run = await BridgeRun.#construct(options, { address, route, tunnel }, relay, host);
    const { previous } = identity;
    if (previous !== undefined) {
      const credentials = toCredentials(previous, options.relayKey);
      void run.firstLinkOutcome.then((problem) =>
        problem === undefined ? endRoom({ address, route, credentials, log }) : undefined,
      );
    }
    return run;
  }

  /** Constructs the run. On failure, only terminals of a previous run stay behind. */
  static async #construct(
    options: RunOptions,
    relayRoute: RelayRoute,
    relay: EmbeddedRelay | undefined,
    host: HostClient,
  ): Promise<BridgeRun> {
    try {
      if (relay !== undefined) await relayRoute.tunnel?.open(relay);
      return new BridgeRun(options, relayRoute, relay, host);
    } catch (error) {
      await relayRoute.tunnel?.stop();
      if (host.found.length === 0) await Promise.all([endHost(host), relay?.stop()]);
      else relay?.release();
      host.close();
      throw error;
    }
  }

  /** Resolves once: undefined when the room accepted this bridge, else the error. */
  get firstLinkOutcome(): Promise<UserError | undefined> {
    return this.#firstLink.outcome;
  }

  /** True once the room has accepted this bridge. */
  get hasConnected(): boolean {
    return this.#firstLink.isEstablished;
  }

  /** True if the relay is the embedded one, which ends with this run. */
  get isEmbedded(): boolean {
    return this.#options.relay === undefined;
  }

  /** How long its terminals wait for the next bridge. */
  get graceMs(): number {
    return this.#options.graceMs;
  }

  /** Returns the relay's address as others reach it; links use it. */
  get publicAddress(): RelayAddress {
    return this.tunnel?.address ?? this.address;
  }

  get people(): PresentPeer[] {
    return listPresentPeers(this.room);
  }

  /** Returns the files that hold access decisions. */
  get durable(): readonly DurableFile[] {
    const { people, rules } = this.room.durable;
    return [this.grants.file, people, rules];
  }

  /** Measures relay, pty host and all people at once; takes at most `milliseconds`. */
  async measure(milliseconds: number): Promise<Latencies> {
    const { viewers } = this.room;
    const targets = {
      pingRelay: () => this.link.roundTrip(),
      pingPtyHost: () => this.pool.ping(),
      people: this.link.isUp ? this.people.map(({ peer }) => peer) : [],
      pingPerson: async (peer: number) => {
        const caller = viewers.get(peer)?.caller;
        return caller === undefined ? undefined : await this.room.ping(caller);
      },
    };
    return await measureLatencies(targets, milliseconds);
  }

  /** Records who is about to end the run, when a signal alone would not show it. */
  setEndedBy(by: EndedBy): void {
    this.#endedBy = by;
  }

  /**
   * Ends everything: session grants, link, terminals, pty host, embedded relay. Repeated calls share
   * one stop.
   */
  async stop(by: EndedBy = "signal"): Promise<void> {
    if (this.#ending === "abandon") return;
    this.#stopping ??= this.#stop(this.#endedBy ?? by);
    await this.#stopping;
  }

  async #stop(by: EndedBy): Promise<void> {
    this.#ending = "stop";
    // First: pages must not mistake the end of their links for a revocation.
    this.room.hub.markStopping();
    const { folders, log } = this.#options;
    log.info(`stopping, by ${by}; terminals that end: ${this.pool.count}`);
    const { instance } = this.#host.welcome;
    await runSequentially(log, {
      "sending farewell to the room": () => this.link.farewell({ state: "ended", by }),
      // Data in transit is lost with the tunnel; a later round trip proves that it arrived.
      "waiting for the tunnel to drain": () => this.#awaitTunnel(),
      // Before the grants end: a client that is cut off checks whether this bridge still runs [M16].
      "closing local sockets": () => this.#localDoors.close(),
      "revoking session grants": () => this.#revokeSession(),
      "closing all connections": () => this.#doors.dispose(),
      // The tunnel ends before the relay, so that no new connection arrives.
      "ending the tunnel": () => this.tunnel?.stop(),
      "ending the pty host and the relay": () =>
        settleAll(endHost(this.#host), this.#relay?.stop(), this.#restarter.end()),
      "ending the recorded relay": async () => {
        if (this.#relay !== undefined) await endRecordedRelay(folders);
      },
      "ending leftover processes": () => sweepInstance(instance),
      "removing sandboxes": () => this.isolation.end(),
      "forgetting the pty host": () => forgetHost(folders.state, instance),
      "removing uploads": () => {
        const error = this.room.files.removeFolder();
        if (error !== undefined) log.error(error);
      },
      "saving access files": () => this.#disposeFiles(),
      "disposing terminal listeners": () => this.#disposables.dispose(),
      "closing the pty host connection": () => this.#host.close(),
    });
  }

  #disposeFiles(): void {
    for (const file of this.durable) file.dispose();
  }

  #revokeSession(): void {
    for (const { id, session, connection } of this.grants.list()) {
      // A local connection's grant ends with its connection; nobody revoked it.
      if (session && connection !== true) this.grants.revoke(id);
    }
  }

  /** Ends a start without a link; keeps running terminals for another try. */
  async giveUp(): Promise<void> {
    if (this.pool.running().length > 0) await this.detach();
    else await this.stop();
  }

  /** Resolves when people behind the tunnel got what was sent before, or do not answer in time. */
  async #awaitTunnel(): Promise<void> {
    if (this.tunnel !== undefined) await this.measure(TUNNEL_DRAIN_MS);
  }

  /** Leaves terminals and relay to the next bridge. Resolves when the room knows, within 2 s. */
  async detach(): Promise<void> {
    if (this.#ending !== undefined) return;
    this.#ending = "abandon";
    void this.#restarter.end();
    const { graceMs } = this.#options;
    await this.link.farewell({ state: "left", graceMs });
    await this.#awaitTunnel();
    // The relay's process ends the tunnel, too, once this bridge is gone.
    void this.tunnel?.stop();
    this.#doors.dispose();
    this.#disposeFiles();
    this.#disposables.dispose();
    this.#host.close();
    this.#relay?.release();
  }

  /** Reports notices about isolation and limits on this machine. */
  async #reportNotes(): Promise<void> {
    for (const note of await this.isolation.prepare()) {
      this.#options.log.info(note);
      this.#options.onEvent({ event: "note", note });
    }
  }

  #replaceHost(): void {
    const { folders, graceMs } = this.#options;
    this.#restarter.restart({
      name: "pty host",
      open: () => openHost(folders, graceMs),
      adopt: (host) => {
        this.#host = host;
        this.pool.adopt(host);
        this.grants.republishSession();
        this.link.restart(host.welcome.instance);
      },
      discard: async (host) => {
        if (this.#ending === "stop") await endHost(host);
        host.close();
      },
    });
  }

  #watchRelay(relay: EmbeddedRelay): void {
    this.#relay = relay;
    // The subscription ends with the relay.
    relay.onGone(() => this.#replaceRelay(relay.port));
  }

  /** Restarts the relay on the same port, so that existing links keep working. */
  #replaceRelay(port: number): void {
    const { folders, log, graceMs } = this.#options;
    log.error(`the embedded relay exited; restarting it on port ${port}`);
    this.#restarter.restart({
      name: "relay",
      open: () => {
        const exposure = this.tunnel?.exposure;
        return openEmbeddedRelay(folders, { port, fixed: true, graceMs, exposure }, log);
      },
      adopt: (relay) => {
        this.tunnel?.setRelay(relay);
        this.#watchRelay(relay);
      },
      discard: async (relay) => {
        if (this.#ending === "stop") await relay.stop();
        else relay.release();
      },
    });
  }
}
