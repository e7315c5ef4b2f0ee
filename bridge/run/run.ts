// Owns one run of a bridge in one folder, from nothing to ready and back: pty host, relay, grants,
// doors, link. What is in its room is room.ts, what it is told options.ts. Does not print; whoever opened it is told by events.

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
 * Which hand ended a bridge on purpose: Ctrl-C or `q` in its window, `pairpty stop`, a signal, or
 * nobody, since nobody used it any more.
 */
export type EndedBy = "window" | "stop" | "signal" | "idle";

/** How long a tunnel is kept for people who do not answer. */
const LAST_WORDS_MS = 1_000;

/** How the relay is reached: by this bridge, and by others. */
interface Way {
  readonly address: RelayAddress;
  readonly route: Route;
  readonly tunnel: RunTunnel | undefined;
}

export class BridgeRun {
  /** What is dialled. Others may reach it by another one: `reach`. */
  readonly address: RelayAddress;
  readonly tunnel: RunTunnel | undefined;
  readonly pool: TerminalPool;
  readonly grants: GrantTable;
  readonly room: Room;
  readonly link: RoomLink;
  /** Terminals that were there already. */
  readonly adopted: number;
  /** Unix ms. */
  readonly startedAt = Date.now();
  readonly audit: AuditLog;
  readonly walls: Walls;
  /** What at the sockets of this machine needs the code of this run. */
  readonly widening: Widening;
  readonly #options: RunOptions;
  readonly #first: FirstLink;
  /** The ways in, and what keeps them: they end first. */
  readonly #doors = new Ends();
  readonly #local: Pick<LocalDoors, "close">;
  /** What is told of terminals: it ends behind their last news. */
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
    // Of a bridge that was killed: they had nobody to end with.
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

  /** What the doors have in common, through the relay and on this machine. */
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

  /** Resolves when terminals can be had; the relay is being dialled by then, and not waited for. */
  static async open(options: RunOptions): Promise<BridgeRun> {
    const { identity, log, insecure } = options;
    // Before anything is started: a wrong address should leave nothing behind.
    const elsewhere =
      options.relay === undefined ? undefined : parseRelayAddress(options.relay, insecure);
    const route =
      elsewhere === undefined
        ? { ...STRAIGHT, socket: new LinkSocket(linkSocket(relayFolder(options.folders))) }
        : await routeTo(elsewhere, process.env, options.ca, options.log);
    // A bridge that was killed may have left one, and its relay with it.
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

  /** A run that cannot be put together leaves nothing behind but terminals of before. */
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

  /** How long its terminals wait for the next bridge. */
  get graceMs(): number {
    return this.#options.graceMs;
  }

  /** Where others reach it: what links lead to. */
  get reach(): RelayAddress {
    return this.tunnel?.address ?? this.address;
  }

  get people(): PresentPeer[] {
    return personsIn(this.room);
  }

  /** The files that say who may do what. */
  get durable(): readonly DurableFile[] {
    const { people, rules } = this.room.durable;
    return [this.grants.file, people, rules];
  }

  /** Asks relay, pty host and everybody in the room at once; takes no longer than so long. */
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

  /** Which hand is about to end it, where a signal cannot tell. */
  endsBy(by: EndedBy): void {
    this.#endsBy = by;
  }

  /** Ends everything: session grants, link, terminals, pty host, embedded relay. Once, for all. */
  async stop(by: EndedBy = "signal"): Promise<void> {
    if (this.#ending === "abandon") return;
    this.#stopping ??= this.#stop(this.#endsBy ?? by);
    await this.#stopping;
  }

  async #stop(by: EndedBy): Promise<void> {
    this.#ending = "stop";
    // First of all: pages must not take the end of their links for a revoked one.
    this.room.hub.ends();
    const terminals = this.pool.count;
    const { folders, log } = this.#options;
    log.info(`stopping, by ${by}; terminals that end: ${terminals}`);
    const { instance } = this.#host.welcome;
    await inTurn(log, {
      "saying farewell to the room": () => this.link.farewell({ state: "ended", by, terminals }),
      // What is under way in a tunnel ends with it: an answer to what is sent later says that it came.
      "waiting for last words in the tunnel": () => this.#awaitTunnel(),
      // Before their rights end: whoever is cut off looks whether this bridge is there [M16].
      "closing the sockets of this machine": () => this.#local.close(),
      "revoking the grants of this run": () => this.#revokeSession(),
      "closing the doors": () => this.#doors.dispose(),
      // First: nobody comes by it any more.
      "ending the tunnel": () => this.tunnel?.stop(),
      "ending the pty host and the relay": () =>
        atOnce(endHost(this.#host), this.#relay?.stop(), this.#replacing.end()),
      "ending the relay that is on record": async () => {
        if (this.#relay !== undefined) await endRecordedRelay(folders);
      },
      "ending what the terminals left": () => sweepInstance(instance),
      "taking the walls down": () => this.walls.end(),
      "forgetting the pty host": () => forgetHost(folders.state, instance),
      "forgetting files from pages": () => {
        const stays = this.room.files.forget();
        if (stays !== undefined) log.error(stays);
      },
      "saving what was taken away": () => this.#saveLast(),
      "ending what is told of terminals": () => this.#ends.dispose(),
      "leaving the pty host": () => this.#host.close(),
    });
  }

  #saveLast(): void {
    for (const file of this.durable) file.dispose();
  }

  #revokeSession(): void {
    for (const { id, session, connection } of this.grants.list()) {
      // Terminals of this machine lose their connection: nobody took their right away.
      if (session && connection !== true) this.grants.revoke(id);
    }
  }

  /** No link was to be had: terminals that are there are left for another try. */
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
    // The relay's process ends it, too, when it finds this bridge gone.
    void this.tunnel?.stop();
    this.#doors.dispose();
    this.#saveLast();
    this.#ends.dispose();
    this.#host.close();
    this.#relay?.release();
  }

  /** What its user should know about walls and limits here. */
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
    // It ends with the relay itself.
    relay.onGone(() => this.#replaceRelay(relay.port));
  }

  /** On the same port, or the links that people have would lead nowhere. */
  #replaceRelay(port: number): void {
    const { folders, log, graceMs } = this.#options;
    log.error(`the embedded relay is gone; starting it again on port ${port}`);
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
