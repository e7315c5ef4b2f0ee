// Owns the bridge proper: brings pool, channels, dialects, grants and link together, and routes the
// room's frames between them. Starts no process and opens no file; cli/start.ts does.

import { FrameType } from "../protocol/frame-types.ts";
import type { Frame } from "../protocol/frame.ts";
import { parsePayload, toPayload } from "../protocol/json.ts";
import { ChannelState, Drained, PeerJoined, Skipped } from "../protocol/link.ts";
import { decodeOffset } from "../protocol/output.ts";
import { decodeAcks } from "../protocol/raw.ts";
import type { Exit, Terminal } from "../protocol/terminal.ts";
import type { Words } from "./channels/rendition.ts";
import { ChannelTable } from "./channels/table.ts";
import type { McpDialect } from "./dialects/mcp/dialect.ts";
import { PtyDialect } from "./dialects/pty/dialect.ts";
import type { Home } from "./dialects/pty/peers.ts";
import { exitWords, outputWording } from "./dialects/pty/words.ts";
import { unfailing } from "./faults.ts";
import type { GrantTable } from "./grants/table.ts";
import type { RelayAddress } from "./link/address.ts";
import type { DialProblem } from "./link/dial-problem.ts";
import type { Credentials } from "./link/handshake.ts";
import type { LinkCondition } from "./link/link.ts";
import { Link } from "./link/link.ts";
import type { Route } from "./link/route.ts";
import { terminalDoor } from "./local/door.ts";
import type { LocalSocket } from "./local-socket.ts";
import type { Log } from "./log.ts";
import type { Latencies } from "./measure.ts";
import { measure } from "./measure.ts";
import type { Screens } from "./screens/screens.ts";
import { serve } from "./serve.ts";
import type { TerminalPool } from "./terminals/pool.ts";
import type { PoolTerminal } from "./terminals/terminal.ts";
import { Tunnel } from "./tunnel/tunnel.ts";

/** Quiet for this long with bytes unconfirmed: ask, so that a sleeping room's place stays known. */
export const SETTLE_AFTER_MS = 3_000;

/** What a person at the terminal, or a program reading `--json`, is told. */
export type BridgeEvent =
  | { event: "link_up" }
  /** `own`: the bridge itself left, to come back at once for a new pty host. */
  | { event: "link_lost"; reason: string; own: boolean }
  /** The pty host died, and so many terminals with it; another takes its place. */
  | { event: "host_lost"; terminals: number }
  | { event: "link_refused"; code: number; reason: string }
  | { event: "peer_joined"; peer: number; grant: string; role: string; label: string }
  | { event: "peer_left"; peer: number; grant: string }
  | { event: "terminal_created" | "terminal_promoted"; terminal: Terminal }
  | { event: "terminal_closed"; terminal: Terminal; exit: Exit | undefined };

export interface Person {
  readonly peer: number;
  readonly grant: string;
  readonly joinedAt: number;
  /** Ids of terminals. */
  readonly attached: string[];
}

export interface BridgeParts {
  readonly address: RelayAddress;
  readonly route: Route;
  readonly credentials: Credentials;
  readonly instance: string;
  readonly pool: TerminalPool;
  readonly grants: GrantTable;
  readonly mcp: McpDialect;
  readonly screens: Screens;
  readonly log: Log;
  readonly onEvent: (event: BridgeEvent) => void;
  /** Where `pairpty shell` and `attach` come in. */
  readonly terminalSocket: string;
  /** The link could not be had; it dials again. */
  readonly onDialFailed: (problem: DialProblem) => void;
}

export class Bridge {
  readonly #parts: BridgeParts;
  readonly #link: Link;
  readonly #home: Home;
  readonly #dialect: PtyDialect;
  readonly #tunnel: Tunnel;
  readonly #door: LocalSocket;
  /** What the room tells between `accepted` and `caughtUp`. */
  #catchingUp: { peers: Map<number, PeerJoined>; channels: Map<number, ChannelState> } | undefined;
  #settle: NodeJS.Timeout | undefined;

  constructor(parts: BridgeParts) {
    const { address, route, credentials, instance, pool, grants, log } = parts;
    this.#parts = parts;
    this.#link = new Link(
      address,
      route,
      credentials,
      instance,
      {
        up: () => this.#onUp(),
        frame: unfailing(log, "a frame of the room", (frame) => this.#onFrame(frame)),
        down: (reason, own) => this.#onDown(reason, own),
        refused: (code, reason) => parts.onEvent({ event: "link_refused", code, reason }),
        failed: (problem) => parts.onDialFailed(problem),
        underWay: () => this.#home.channels.underWay(),
      },
      log,
    );
    const sender = {
      send: (type: number, stream: number, payload?: Uint8Array, flags?: number) =>
        this.#link.send(type, stream, payload, flags),
      sendBytes: (frames: Uint8Array) => {
        this.#link.sendBytes(frames);
        this.#settleSoon();
      },
    };
    const channels = new ChannelTable(pool, sender, wordsFor, log, {
      forwards: true,
      isOnThisMachine: address.loopback,
    });
    this.#home = { link: sender, channels };
    this.#dialect = new PtyDialect(pool, grants, parts.screens, log);
    this.#dialect.open(this.#home);
    this.#door = terminalDoor(parts.terminalSocket, {
      pool,
      grants,
      dialect: this.#dialect,
      words: wordsFor,
      log,
    });
    this.#tunnel = new Tunnel(
      sender,
      grants,
      (request, grant) => serve(request, grant, parts),
      log,
    );
    grants.onChange = (update) => {
      this.#link.send(FrameType.grants, 0, toPayload(update));
      for (const id of update.remove) void parts.mcp.drop(id);
    };
    pool.onEvent(({ event, terminal, exit }) => {
      if (event === "created") parts.onEvent({ event: "terminal_created", terminal });
      if (event === "promoted") parts.onEvent({ event: "terminal_promoted", terminal });
      if (event === "closed") parts.onEvent({ event: "terminal_closed", terminal, exit });
    });
  }

  start(): void {
    this.#link.start();
    this.#door.open();
  }

  stop(): void {
    this.#door.close();
    clearTimeout(this.#settle);
    this.#link.stop();
  }

  /** Resolves when the room knows everything that was told it, new grants above all. */
  confirmed(): Promise<void> {
    return this.#link.confirmed();
  }

  /** A new pty host took the place of one that died. */
  restartLink(instance: string): void {
    this.#link.restart(instance);
  }

  get link(): LinkCondition {
    return this.#link.condition;
  }

  get people(): Person[] {
    return this.#dialect.people.map(({ number, grant, joinedAt, attached }) => ({
      peer: number,
      grant,
      joinedAt,
      attached: [...attached.keys()],
    }));
  }

  /** Asks relay, pty host and everybody in the room at once; takes no longer than so long. */
  async measure(milliseconds: number): Promise<Latencies> {
    const asked = {
      relay: () => this.#link.roundTrip(),
      ptyHost: () => this.#parts.pool.ping(),
      people: this.#link.isUp ? this.#dialect.people.map(({ number }) => number) : [],
      person: (peer: number) => this.#dialect.ping(peer),
    };
    return await measure(asked, milliseconds);
  }

  #onUp(): void {
    this.#catchingUp = { peers: new Map(), channels: new Map() };
    this.#link.send(FrameType.grants, 0, toPayload(this.#parts.grants.snapshot()));
    this.#parts.onEvent({ event: "link_up" });
  }

  #onDown(reason: string, own: boolean): void {
    this.#catchingUp = undefined;
    this.#home.channels.suspendAll();
    this.#tunnel.dropAll("the link was lost");
    this.#parts.onEvent({ event: "link_lost", reason, own });
  }

  #onFrame(frame: Frame): void {
    switch (frame.type) {
      case FrameType.peerMessage:
        return this.#dialect.message(frame.stream, frame.payload);
      case FrameType.received: {
        const offset = decodeOffset(frame.payload);
        if (offset === undefined) return undefined;
        return this.#home.channels.byNumber(frame.stream)?.channel.received(offset);
      }
      case FrameType.peerJoined:
        return this.#parsed(PeerJoined, frame, (joined) => this.#onJoined(frame.stream, joined));
      case FrameType.peerLeft:
        return this.#onLeft(frame.stream);
      case FrameType.channelState:
        return this.#parsed(ChannelState, frame, (state) => {
          this.#catchingUp?.channels.set(frame.stream, state);
        });
      case FrameType.caughtUp:
        return this.#onCaughtUp();
      case FrameType.skipped:
        return this.#parsed(Skipped, frame, (skipped) =>
          this.#dialect.skipped(this.#home, frame.stream, skipped),
        );
      case FrameType.drained:
        return this.#parsed(Drained, frame, (drained) =>
          this.#dialect.drained(this.#home, frame.stream, drained),
        );
      case FrameType.acks:
        return this.#dialect.acks(frame.stream, decodeAcks(frame.payload) ?? []);
      case FrameType.streamOpen:
      case FrameType.streamData:
      case FrameType.streamEnd:
      case FrameType.streamCancel:
      case FrameType.streamCredit:
        return this.#tunnel.frame(frame);
      default:
        // A newer room may say more than this bridge knows.
        return undefined;
    }
  }

  #onJoined(number: number, joined: PeerJoined): void {
    if (this.#catchingUp !== undefined) {
      this.#catchingUp.peers.set(number, joined);
      return;
    }
    this.#dialect.joined(this.#home, number, joined);
    const grant = this.#parts.grants.lookUp(joined.grant);
    const { role = "unknown", label = "" } = grant ?? {};
    this.#parts.onEvent({ event: "peer_joined", peer: number, grant: joined.grant, role, label });
  }

  #onLeft(number: number): void {
    this.#catchingUp?.peers.delete(number);
    const peer = this.#dialect.left(number);
    if (peer !== undefined) {
      this.#parts.onEvent({ event: "peer_left", peer: number, grant: peer.grant });
    }
  }

  #onCaughtUp(): void {
    const told = this.#catchingUp;
    this.#catchingUp = undefined;
    if (told !== undefined) this.#dialect.reconcile(this.#home, told.peers, told.channels);
  }

  #settleSoon(): void {
    if (this.#settle !== undefined) {
      this.#settle.refresh();
      return;
    }
    this.#settle = setTimeout(() => {
      this.#settle = undefined;
      if (this.#home.channels.underWay()) this.#link.nudge();
    }, SETTLE_AFTER_MS);
    this.#settle.unref();
  }

  #parsed<T>(
    schema: Parameters<typeof parsePayload<T>>[0],
    frame: Frame,
    then: (value: T) => void,
  ) {
    const parsed = parsePayload(schema, frame.payload);
    if (parsed.ok) return then(parsed.value);
    this.#parts.log.warn(`frame ${frame.type} from the room does not fit: ${parsed.error}`);
    return undefined;
  }
}

function wordsFor(terminal: PoolTerminal): Words {
  return {
    output: outputWording(terminal.id),
    exit: (exit) => exitWords(terminal.id, exit),
  };
}
