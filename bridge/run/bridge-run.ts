// Owns one run of a bridge in one folder, from start to stop: which parts it has and in which order
// they are built. Opening it is in open-run.ts, its processes are in run-processes.ts, the order of
// its end is in run-shutdown.ts, the room's content in room.ts. Prints nothing; reports by events.

import { workspacePath } from "../../protocol/workspace.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { ElevationGate } from "../callers/elevation-gate.ts";
import type { EmbeddedRelay } from "../embedded-relay/embedded-relay.ts";
import { DisposableStore } from "../disposable-store.ts";
import type { UserError } from "../errors.ts";
import { settleLinksFromBefore } from "../grants/before-sealing.ts";
import { GrantExpiry } from "../grants/grant-expiry.ts";
import { grantsFile, GrantTable } from "../grants/grant-table.ts";
import type { RelayAddress } from "../link/relay-address.ts";
import { listOrigins } from "../link/relay-address.ts";
import type { DialRoute } from "../link/dial-route.ts";
import type { IsolationService } from "../isolation/isolation-service.ts";
import type { HostKey } from "../sealed/host-key.ts";
import { openHostKey } from "../sealed/host-key.ts";
import type { HostClient } from "../terminals/host-client.ts";
import { TerminalPool } from "../terminals/pool.ts";
import type { DurableFile } from "../workspace/durable-file.ts";
import { sweepRuns } from "../sweep.ts";
import {
  openLink,
  openAudit,
  openRoom,
  forwardEvents,
  createIsolation,
  openElevationGate,
} from "./run-parts.ts";
import { FirstLink } from "./first-link.ts";
import { readHostState, writeHostState } from "./host-state.ts";
import type { RunTunnel } from "./run-tunnel.ts";
import { startKeepalive } from "./run-tunnel.ts";
import type { LocalDoors } from "./local-doors.ts";
import { createLocalDoors } from "./local-doors.ts";
import type { Latencies } from "./latencies.ts";
import { measureLatencies } from "./latencies.ts";
import type { RunOptions } from "./run-options.ts";
import type { PresentPeer } from "./present-peers.ts";
import { listPresentPeers } from "./present-peers.ts";
import type { Room } from "./room.ts";
import type { RoomLink } from "./room-link.ts";
import { RunProcesses } from "./run-processes.ts";
import type { EndedBy, RunShutdownDeps } from "./run-shutdown.ts";
import { detachRun, stopRun } from "./run-shutdown.ts";
import type { SealedRoom } from "./sealed-room.ts";
import { createLinkSealer, endLinksOfLostKey } from "./sealed-room.ts";

/** How this bridge and others reach the relay. */
export interface RelayRoute {
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
  /** Unix ms. */
  readonly startedAt = Date.now();
  readonly audit: AuditLog;
  readonly isolation: IsolationService;
  /** Decides which requests at this machine's sockets need the run's code. */
  readonly elevationGate: ElevationGate;
  readonly #options: RunOptions;
  /** Undefined in a plain room. */
  readonly #hostKey: HostKey | undefined;
  readonly #firstLink: FirstLink;
  /** Doors and what depends on them; disposed first. */
  readonly #doors = new DisposableStore();
  readonly #localDoors: Pick<LocalDoors, "close">;
  /** Listeners of terminal events; disposed last, so that they get the final ones. */
  readonly #listeners = new DisposableStore();
  #stopping: Promise<void> | undefined;
  readonly #processes: RunProcesses;
  #ending: "stop" | "abandon" | undefined;
  #endedBy: EndedBy | undefined;
  #lastSession: number;

  constructor(
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
    this.#processes = new RunProcesses(host, relay, {
      options,
      tunnel,
      onHostReplaced: (replacement) => {
        this.pool.adopt(replacement);
        this.grants.republishSession();
        this.link.restart(replacement.welcome.instance);
      },
    });
    this.#hostKey = options.isSealed ? openHostKey(folders.state, options) : undefined;
    const seal = createLinkSealer(identity.workspace, this.#hostKey);
    this.grants = new GrantTable(grantsFile(folders.state), Date.now, { log, seal });
    const storedState = readHostState(host.welcome.state, identity.generation);
    this.grants.adoptSession(storedState.session);
    const lostKey = endLinksOfLostKey(this.#hostKey, this.grants);
    const endedLinks = settleLinksFromBefore(this.grants, options.isSealed);
    const environment = process.env;
    this.pool = new TerminalPool({ folder: folders.folder, shell, environment, log });
    this.pool.adopt(host);
    this.adoptedTerminals = this.pool.count;
    this.audit = openAudit(options);
    this.isolation = createIsolation(options);
    this.elevationGate = openElevationGate(options, this, storedState);
    this.#lastSession = storedState.lastSession;
    // Only a bridge stores state with the pty host.
    const isTakeover = host.welcome.state !== null;
    // Commands of a bridge that was killed still run: nothing ended them.
    if (isTakeover) sweepRuns(host.welcome.instance);
    this.room = this.#openRoom(environment);
    this.link = openLink(options, {
      ...this.#doorDeps(),
      agents: this.room.conversations,
      isSealed: this.#hostKey !== undefined,
      address,
      route,
      tunnelKey: tunnel?.key,
      instance: host.welcome.instance,
      isTakeover,
      firstLink: this.#firstLink,
    });
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
        const state = { session, hasAgentCalled, lastSession: this.#lastSession };
        writeHostState(this.#processes.host, identity.generation, state);
      }),
    );
    this.#listeners.add(
      () => this.room.dispose(),
      ...forwardEvents(options, this.room, this),
      this.isolation.watch(this.pool),
      this.pool.onHostGone((ended) => {
        options.onEvent({ event: "host_lost", terminals: ended });
        this.#processes.replaceHost();
      }),
    );
    if (tunnel !== undefined) {
      const people = () => this.room.viewers.all().map(({ caller }) => caller);
      this.#doors.add(startKeepalive(people, (caller) => void this.room.ping(caller)));
    }
    doors.open();
    this.link.start();
    void this.#reportNotes([lostKey, endedLinks].filter((note) => note !== undefined));
  }

  #openRoom(environment: NodeJS.ProcessEnv): Room {
    const { pool, grants, audit, isolation, elevationGate } = this;
    const sessions = {
      last: this.#lastSession,
      keepLast: (number: number) => {
        this.#lastSession = number;
        grants.republishSession();
      },
      instance: () => this.#processes.host.welcome.instance,
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
      sealed: this.#toSealedRoom(),
      confirmed: () => this.link.confirmed(),
    });
  }

  #toSealedRoom(): SealedRoom | undefined {
    const hostKey = this.#hostKey;
    if (hostKey === undefined) return undefined;
    const { workspace } = this.#options.identity;
    // Links of the host's own page lead to the address that the bridge dials.
    const origins = () => [this.publicAddress, this.address].flatMap(listOrigins);
    return { hostKey, workspace, origins };
  }

  /** Returns the dependencies that relay doors and local doors share. */
  #doorDeps() {
    const { pool, grants } = this;
    const { hub, viewers, getMessages } = this.room;
    return { pool, grants, hub, viewers, messages: getMessages, log: this.#options.log };
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
    this.#ending = "stop";
    this.#stopping ??= stopRun(this.#shutdownDeps(), this.#endedBy ?? by);
    await this.#stopping;
  }

  #shutdownDeps(): RunShutdownDeps {
    const { room, pool, grants, link, tunnel, isolation } = this;
    return {
      options: this.#options,
      room,
      pool,
      grants,
      link,
      tunnel,
      isolation,
      processes: this.#processes,
      localDoors: this.#localDoors,
      doors: this.#doors,
      listeners: this.#listeners,
      files: this.durable,
      measure: (milliseconds) => this.measure(milliseconds),
    };
  }

  /** Ends a start without a link; keeps running terminals for another try. */
  async giveUp(): Promise<void> {
    if (this.pool.running().length > 0) await this.detach();
    else await this.stop();
  }

  /** Leaves terminals and relay to the next bridge. Resolves when the room knows, within 2 s. */
  async detach(): Promise<void> {
    if (this.#ending !== undefined) return;
    this.#ending = "abandon";
    await detachRun(this.#shutdownDeps());
  }

  /** Reports notices of this start, and about isolation and limits on this machine. */
  async #reportNotes(notes: readonly string[]): Promise<void> {
    for (const note of [...notes, ...(await this.isolation.prepare())]) {
      this.#options.log.info(note);
      this.#options.onEvent({ event: "note", note });
    }
  }
}
