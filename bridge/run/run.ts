// Owns one run of a bridge in one folder, from start to stop: pty host, relay, grants, doors, link. The
// room's content is in room.ts, the options in options.ts. Prints nothing; reports by events.

import { workspacePath } from "../../protocol/workspace.ts";
import type { AuditLog } from "../audit/log.ts";
import type { Widening } from "../callers/widening.ts";
import type { EmbeddedRelay } from "../embedded-relay/start-relay.ts";
import { linkSocket } from "../embedded-relay/control.ts";
import { endRecordedRelay, openRelay, relayFolder } from "../embedded-relay/start-relay.ts";
import { Ends } from "../ends.ts";
import type { UserError } from "../errors.ts";
import { Expiry } from "../grants/expiry.ts";
import { grantsFile, GrantTable } from "../grants/table.ts";
import type { RelayAddress } from "../link/address.ts";
import { parseRelayAddress } from "../link/address.ts";
import { endRoom } from "../link/end-room.ts";
import type { Route } from "../link/route.ts";
import { LinkSocket } from "../link/link-socket.ts";
import { routeTo, STRAIGHT } from "../link/route.ts";
import type { Walls } from "../providers/walls.ts";
import type { HostClient } from "../terminals/host-client.ts";
import { forgetHost } from "../terminals/host-records.ts";
import { TerminalPool } from "../terminals/pool.ts";
import type { DurableFile } from "../workspace/durable-file.ts";
import { endHost, openHost } from "../terminals/start-host.ts";
import { sweepInstance, sweepRuns } from "../sweep.ts";
import { endRecordedTunnel } from "../tunnels/process.ts";
import {
  credentialsOf,
  openAudit,
  openRoom,
  tellEvents,
  wallsOf,
  openWidening,
} from "./composing.ts";
import { FirstLink } from "./first-link.ts";
import { readHostState, writeHostState } from "./host-state.ts";
import { keepAwake } from "./keep-awake.ts";
import type { LocalDoors } from "./local-doors.ts";
import { localDoors } from "./local-doors.ts";
import type { Latencies } from "./measure.ts";
import { measure } from "./measure.ts";
import type { RunOptions } from "./options.ts";
import { openParts } from "./parts.ts";
import type { PresentPeer } from "./persons.ts";
import { personsIn } from "./persons.ts";
import { Replacing } from "./replacing.ts";
import type { Room } from "./room.ts";
import { RoomLink } from "./room-link.ts";
import { atOnce, inTurn } from "./stopping.ts";
import { RunTunnel } from "./tunnel.ts";

/**
 * Who ended a bridge on purpose: Ctrl-C or `q` in its window, `pairpty stop`, a signal, or the idle
 * timeout.
 */
export type EndedBy = "window" | "stop" | "signal" | "idle";

/** How long a stop keeps the tunnel open for clients that do not answer. */
const LAST_WORDS_MS = 1_000;

/** How this bridge and others reach the relay. */
interface Way {
  readonly address: RelayAddress;
  readonly route: Route;
  readonly tunnel: RunTunnel | undefined;
}

export class BridgeRun {
  /** The address that the bridge dials. Others may use another one: `reach`. */
  readonly address: RelayAddress;
  readonly tunnel: RunTunnel | undefined;
  readonly pool: TerminalPool;
  readonly grants: GrantTable;
  readonly room: Room;
  readonly link: RoomLink;
  /** How many terminals a previous bridge left. */
  readonly adopted: number;
  /** Unix ms. */
  readonly startedAt = Date.now();
  readonly audit: AuditLog;
  readonly walls: Walls;
  /** Decides which requests at this machine's sockets need the run's code. */
  readonly widening: Widening;
  readonly #options: RunOptions;
  readonly #first: FirstLink;
  /** Doors and what depends on them; disposed first. */
  readonly #doors = new Ends();
  readonly #local: Pick<LocalDoors, "close">;
  /** Listeners of terminal events; disposed last, so that they get the final ones. */
  readonly #ends = new Ends();
  #stopping: Promise<void> | undefined;
  readonly #replacing: Replacing;
  #relay: EmbeddedRelay | undefined;
  #host: HostClient;
  #ending: "stop" | "abandon" | undefined;
  #endsBy: EndedBy | undefined;
  #lastSession: number;

  private constructor(
    options: RunOptions,
    { address, route, tunnel }: Way,
    relay: EmbeddedRelay | undefined,
    host: HostClient,
  ) {
    const { folders, identity, log, shell } = options;
    this.#options = options;
    this.address = address;
    this.tunnel = tunnel;
    this.#first = new FirstLink(address);
    this.#replacing = new Replacing(log);
    if (relay !== undefined) this.#watchRelay(relay);
    this.#host = host;
    this.grants = new GrantTable(grantsFile(folders.state), Date.now, { log });
    const left = readHostState(host.welcome.state, identity.generation);
    this.grants.adoptSession(left.session);
    const environment = process.env;
    this.pool = new TerminalPool({ folder: folders.folder, shell, environment, log });
    this.pool.adopt(host);
    this.adopted = this.pool.count;
    this.audit = openAudit(options);
    this.walls = wallsOf(options);
    this.widening = openWidening(options, this, left);
    this.#lastSession = left.lastSession;
    // Commands of a bridge that was killed still run: nothing ended them.
    if (host.welcome.state !== null) sweepRuns(host.welcome.instance);
    this.room = this.#openRoom(environment);
    this.link = this.#openLink(route);
    const doors = localDoors({
      ...this.#common(),
      room: this.room,
      folders,
      link: `${address.origin}${workspacePath(identity.workspace)}`,
    });
    this.#local = doors;
    const expiry = new Expiry(this.grants);
    this.#doors.own(
      () => this.link.stop(),
      () => expiry.dispose(),
      () => doors.close(),
      this.grants.onSessionChange((session) => {
        const { hasAgentCalled } = this.widening;
        const lastSession = this.#lastSession;
        writeHostState(this.#host, identity.generation, { session, hasAgentCalled, lastSession });
      }),
    );
    this.#ends.own(
      () => this.room.dispose(),
      ...tellEvents(options, this.room, this),
      this.walls.watch(this.pool),
      this.pool.onHostGone((ended) => {
        options.onEvent({ event: "host_lost", terminals: ended });
        this.#replaceHost();
      }),
    );
    if (tunnel !== undefined) {
      const people = () => this.room.viewers.all().map(({ caller }) => caller);
      this.#doors.own(keepAwake(people, (caller) => void this.room.ping(caller)));
    }
    doors.open();
    this.link.start();
    void this.#tellNotes();
  }

  #openRoom(environment: NodeJS.ProcessEnv): Room {
    const { pool, grants, audit, walls, widening } = this;
    const sessions = {
      last: this.#lastSession,
      keepLast: (number: number) => {
        this.#lastSession = number;
        grants.tellSession();
      },
      instance: () => this.#host.welcome.instance,
    };
    return openRoom(this.#options, {
      pool,
      grants,
      audit,
      walls,
      widening,
      environment,
      sessions,
      reach: () => this.reach,
      tunnel: () => this.tunnel?.address,
      confirmed: () => this.link.confirmed(),
    });
  }

  /** Returns the dependencies that relay doors and local doors share. */
  #common() {
    const { pool, grants } = this;
    const { hub, viewers, words } = this.room;
    return { pool, grants, hub, viewers, words, log: this.#options.log };
  }

  #openLink(route: Route): RoomLink {
    const { folders, identity, relayKey, graceMs, onEvent, onDialFailed } = this.#options;
    return new RoomLink({
      ...this.#common(),
      agents: this.room.conversations,
      folder: folders.folder,
      address: this.address,
      route,
      credentials: credentialsOf(identity, this.tunnel?.key ?? relayKey),
      instance: this.#host.welcome.instance,
      graceMs,
      onEvent: (event) => {
        if (event.event === "link_up") identity.keepName();
        this.#first.onEvent(event);
        onEvent(event);
      },
      onDialFailed: (problem) => {
        this.#first.onDialFailed(problem);
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
        ? { ...STRAIGHT, socket: new LinkSocket(linkSocket(relayFolder(options.folders))) }
        : await routeTo(elsewhere, process.env, options.ca, options.log);
    // A bridge that was killed may have left a tunnel and its relay.
    await endRecordedTunnel(options.folders);
    const tunnel = options.tunnel && new RunTunnel({ ...options, plan: options.tunnel });
    const { host, relay } = await openParts({ ...options, exposure: tunnel?.exposure });
    if (relay !== undefined) identity.port = relay.port;
    const address = elsewhere ?? parseRelayAddress(`http://127.0.0.1:${relay?.port}`, insecure);
    log.debug(`pty host ${host.welcome.pid}, instance ${host.welcome.instance}`);
    const run = await BridgeRun.#over(options, { address, route, tunnel }, relay, host);
    const { former } = identity;
    if (former !== undefined) {
      const credentials = credentialsOf(former, options.relayKey);
      void run.linked.then((problem) =>
        problem === undefined ? endRoom({ address, route, credentials, log }) : undefined,
      );
    }
    return run;
  }

  /** Constructs the run. On failure, only terminals of a previous run stay behind. */
  static async #over(
    options: RunOptions,
    way: Way,
    relay: EmbeddedRelay | undefined,
    host: HostClient,
  ): Promise<BridgeRun> {
    try {
      if (relay !== undefined) await way.tunnel?.open(relay);
      return new BridgeRun(options, way, relay, host);
    } catch (error) {
      await way.tunnel?.stop();
      if (host.found.length === 0) await Promise.all([endHost(host), relay?.stop()]);
      else relay?.release();
      host.close();
      throw error;
    }
  }

  /** Resolves once: undefined when the room accepted this bridge, else the error. */
  get linked(): Promise<UserError | undefined> {
    return this.#first.outcome;
  }

  /** True once the room has accepted this bridge. */
  get hasLinked(): boolean {
    return this.#first.isMade;
  }

  /** True if the relay is the embedded one, which ends with this run. */
  get embedded(): boolean {
    return this.#options.relay === undefined;
  }

  /** How long its terminals wait for the next bridge. */
  get graceMs(): number {
    return this.#options.graceMs;
  }

  /** Returns the relay's address as others reach it; links use it. */
  get reach(): RelayAddress {
    return this.tunnel?.address ?? this.address;
  }

  get people(): PresentPeer[] {
    return personsIn(this.room);
  }

  /** Returns the files that hold access decisions. */
  get durable(): readonly DurableFile[] {
    const { people, rules } = this.room.durable;
    return [this.grants.file, people, rules];
  }

  /** Measures relay, pty host and all people at once; takes at most `milliseconds`. */
  async measure(milliseconds: number): Promise<Latencies> {
    const { viewers } = this.room;
    const asked = {
      relay: () => this.link.roundTrip(),
      ptyHost: () => this.pool.ping(),
      people: this.link.isUp ? this.people.map(({ peer }) => peer) : [],
      person: async (peer: number) => {
        const caller = viewers.get(peer)?.caller;
        return caller === undefined ? undefined : await this.room.ping(caller);
      },
    };
    return await measure(asked, milliseconds);
  }

  /** Records who is about to end the run, when a signal alone would not show it. */
  endsBy(by: EndedBy): void {
    this.#endsBy = by;
  }

  /**
   * Ends everything: session grants, link, terminals, pty host, embedded relay. Repeated calls share
   * one stop.
   */
  async stop(by: EndedBy = "signal"): Promise<void> {
    if (this.#ending === "abandon") return;
    this.#stopping ??= this.#stop(this.#endsBy ?? by);
    await this.#stopping;
  }

  async #stop(by: EndedBy): Promise<void> {
    this.#ending = "stop";
    // First: pages must not mistake the end of their links for a revocation.
    this.room.hub.ends();
    const terminals = this.pool.count;
    const { folders, log } = this.#options;
    log.info(`stopping, by ${by}; terminals that end: ${terminals}`);
    const { instance } = this.#host.welcome;
    await inTurn(log, {
      "sending farewell to the room": () => this.link.farewell({ state: "ended", by, terminals }),
      // Data in transit is lost with the tunnel; a later round trip proves that it arrived.
      "waiting for the tunnel to drain": () => this.#awaitTunnel(),
      // Before the grants end: a client that is cut off checks whether this bridge still runs [M16].
      "closing local sockets": () => this.#local.close(),
      "revoking session grants": () => this.#revokeSession(),
      "closing the doors": () => this.#doors.dispose(),
      // The tunnel ends before the relay, so that no new connection arrives.
      "ending the tunnel": () => this.tunnel?.stop(),
      "ending the pty host and the relay": () =>
        atOnce(endHost(this.#host), this.#relay?.stop(), this.#replacing.end()),
      "ending the recorded relay": async () => {
        if (this.#relay !== undefined) await endRecordedRelay(folders);
      },
      "ending leftover processes": () => sweepInstance(instance),
      "removing sandboxes": () => this.walls.end(),
      "forgetting the pty host": () => forgetHost(folders.state, instance),
      "removing uploads": () => {
        const stays = this.room.files.forget();
        if (stays !== undefined) log.error(stays);
      },
      "saving access files": () => this.#saveLast(),
      "disposing terminal listeners": () => this.#ends.dispose(),
      "closing the pty host connection": () => this.#host.close(),
    });
  }

  #saveLast(): void {
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
    if (this.pool.running().length > 0) await this.abandon();
    else await this.stop();
  }

  /** Resolves when people behind the tunnel got what was sent before, or do not answer in time. */
  async #awaitTunnel(): Promise<void> {
    if (this.tunnel !== undefined) await this.measure(LAST_WORDS_MS);
  }

  /** Leaves terminals and relay to the next bridge. Resolves when the room knows, within 2 s. */
  async abandon(): Promise<void> {
    if (this.#ending !== undefined) return;
    this.#ending = "abandon";
    void this.#replacing.end();
    const { graceMs } = this.#options;
    await this.link.farewell({ state: "left", graceMs, terminals: this.pool.count });
    await this.#awaitTunnel();
    // The relay's process ends the tunnel, too, once this bridge is gone.
    void this.tunnel?.stop();
    this.#doors.dispose();
    this.#saveLast();
    this.#ends.dispose();
    this.#host.close();
    this.#relay?.release();
  }

  /** Reports notices about isolation and limits on this machine. */
  async #tellNotes(): Promise<void> {
    for (const note of await this.walls.prepare()) {
      this.#options.log.info(note);
      this.#options.onEvent({ event: "note", note });
    }
  }

  #replaceHost(): void {
    const { folders, graceMs } = this.#options;
    this.#replacing.replace({
      name: "pty host",
      open: () => openHost(folders, graceMs),
      take: (host) => {
        this.#host = host;
        this.pool.adopt(host);
        this.grants.tellSession();
        this.link.restart(host.welcome.instance);
      },
      late: async (host) => {
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
    this.#replacing.replace({
      name: "relay",
      open: () => {
        const exposure = this.tunnel?.exposure;
        return openRelay(folders, { port, fixed: true, graceMs, exposure }, log);
      },
      take: (relay) => {
        this.tunnel?.moved(relay);
        this.#watchRelay(relay);
      },
      late: async (relay) => {
        if (this.#ending === "stop") await relay.stop();
        else relay.release();
      },
    });
  }
}
