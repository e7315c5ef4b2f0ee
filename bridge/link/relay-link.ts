// Owns the one socket to the room: dialling, the handshake, liveness and redialling. Passes frames
// on; the listener interprets them.

import { WebSocket } from "ws";
import { CloseCode } from "../../protocol/codes.ts";
import type { Frame } from "../../protocol/frame.ts";
import { decodeFrames, encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { parsePayload, toPayload } from "../../protocol/json.ts";
import { KiB, MAX_FRAME_PAYLOAD, MAX_LINK_MESSAGE } from "../../protocol/limits.ts";
import { Accepted, Challenge, KNOCK_HEADER } from "../../protocol/link.ts";
import { decodeOffset } from "../../protocol/output.ts";
import type { Log } from "../log.ts";
import type { RelayAddress } from "./relay-address.ts";
import { linkUrl } from "./relay-address.ts";
import { FrameBatch, REMOTE_BATCH_MS } from "./frame-batch.ts";
import type { Liveness } from "./liveness.ts";
import { backoffMs, judgeLiveness } from "./liveness.ts";
import type { DialProblem } from "./dial-problem.ts";
import { toDialProblem, toProxyProblem } from "./dial-problem.ts";
import type { Clocks, Freshness } from "./freshness.ts";
import {
  applyNudgeAnswer,
  extendDoubt,
  startFreshness,
  startDoubt,
  wasSuspended,
  countsAsLate,
  isFarFromNow,
  isOffsetOld,
  endExtension,
} from "./freshness.ts";
import type { Credentials } from "./handshake.ts";
import { createHello, computeKnock } from "./handshake.ts";
import type { DialRoute } from "./dial-route.ts";
import { PROXY_CONNECTED, createDial } from "./dial-route.ts";

/** Time from dialling to `accepted`: longer than the room may take to nudge an older link. */
const GREETING_TIMEOUT_MS = 15_000;
const CHECK_EVERY_MS = 1_000;
const PING = "ping";
/** Reason with which `restart` closes the link. */
const HOST_REPLACED: DialProblem = { reason: "the pty host is a new one", isPermanent: false };
/** Messages up to this size are copied, which is cheaper than two writes. */
const MAX_SMALL_BYTES = 1 * KiB;

export interface LinkListener {
  /** Fires when the room accepted the link: frames may be sent. */
  onUp(): void;
  onFrame(frame: Frame): void;
  /** Fires when an accepted link is lost; `own` if `restart` closed it. */
  onDown(reason: string, own: boolean): void;
  /** Fires when the relay refused the link for good. The link has stopped. */
  onRefused(code: number, reason: string): void;
  /** Fires when a dial failed; another follows. */
  onFailed(problem: DialProblem): void;
  /** Whether sent bytes wait for the room's confirmation. */
  hasUnconfirmed(): boolean;
}

/** State of the link for display. Times are Unix ms. */
export type LinkStatus =
  | { readonly up: true; readonly since: number }
  | {
      readonly up: false;
      readonly since: number;
      readonly problem: string;
      /** Unix ms of the next dial; undefined while dialling, and when there will be none. */
      readonly retryAt: number | undefined;
    };

type LinkState =
  | { readonly is: "stopped" }
  | { readonly is: "waiting"; readonly timer: NodeJS.Timeout; readonly retryAt: number }
  | { readonly is: "greeting"; readonly socket: WebSocket; readonly timer: NodeJS.Timeout }
  | { readonly is: "up"; readonly socket: WebSocket; readonly timer: NodeJS.Timeout };

/** Close codes after which redialling is useless, or a newer bridge is connected. */
const FINAL_CLOSE_CODES = new Set<number>([
  CloseCode.unauthorized,
  CloseCode.forbidden,
  CloseCode.version,
  CloseCode.anotherBridge,
  CloseCode.replaced,
]);

export class RelayLink {
  readonly #address: RelayAddress;
  readonly #route: DialRoute;
  readonly #credentials: Credentials;
  readonly #listener: LinkListener;
  readonly #log: Log;
  readonly #batch: FrameBatch;
  #instance: string;
  #state: LinkState = { is: "stopped" };
  #liveness: Liveness = { receivedAt: 0, pingedAt: undefined, nudgedAt: undefined };
  #freshness: Freshness = startFreshness(0, readClocks());
  #nudges = 0;
  #nudgeAnswers = 0;
  /** Unix ms of each unanswered nudge, in order. */
  #nudgedAt: number[] = [];
  readonly #confirmations: { readonly number: number; readonly resolve: () => void }[] = [];
  /** Unix ms of the last change between up and not up. */
  #since = Date.now();
  #epoch = 0;
  #attempt = 0;
  /** Whether the message being sent is small; read by `generateMask`. */
  #isSmall = false;
  /** Why the last dial failed or the link was lost. */
  lastProblem = "no answer yet";

  constructor(
    address: RelayAddress,
    route: DialRoute,
    credentials: Credentials,
    instance: string,
    listener: LinkListener,
    log: Log,
  ) {
    this.#address = address;
    this.#route = route;
    this.#credentials = credentials;
    this.#instance = instance;
    this.#batch = new FrameBatch(address.loopback ? 0 : REMOTE_BATCH_MS, (message, written) => {
      if (this.#state.is !== "up") return;
      this.#isSmall = message.length <= MAX_SMALL_BYTES;
      this.#state.socket.send(message, written);
    });
    this.#listener = listener;
    this.#log = log;
  }

  get isUp(): boolean {
    return this.#state.is === "up";
  }

  get status(): LinkStatus {
    const state = this.#state;
    if (state.is === "up") return { up: true, since: this.#since };
    const retryAt = state.is === "waiting" ? state.retryAt : undefined;
    return { up: false, since: this.#since, problem: this.lastProblem, retryAt };
  }

  start(): void {
    if (this.#state.is === "stopped") this.#dial();
  }

  /** Sends queued frames, closes the socket and stops redialling. */
  stop(): void {
    this.#batch.flush();
    const state = this.#state;
    this.#enter({ is: "stopped" }, "stopped");
    if (state.is === "up" || state.is === "greeting") state.socket.close(CloseCode.normal);
  }

  /** Reconnects as a new instance, after the pty host was replaced. */
  restart(instance: string): void {
    this.#instance = instance;
    const state = this.#state;
    if (state.is === "stopped") return;
    if (state.is === "up" || state.is === "greeting") {
      this.#onLost(state.socket, HOST_REPLACED);
    }
  }

  /** Sends one frame. Dropped while the link is not up: its state is sent again when it is. */
  send(type: number, stream: number, payload?: Uint8Array, flags?: number): void {
    if (payload !== undefined && payload.length > MAX_FRAME_PAYLOAD) {
      // A bug, but losing one message must not end everyone's terminals.
      return this.#log.error(`frame ${type} of ${payload.length} bytes is too long; not sent`);
    }
    return this.sendBytes(encodeFrame(type, stream, payload, flags));
  }

  /** Sends whole frames. Their bytes must not change until `written`, or until the link is lost. */
  sendBytes(frames: Uint8Array, written?: () => void): void {
    if (this.#state.is === "up") this.#batch.push(frames, written);
  }

  /** Requests an answer from the room, which also confirms everything it received. */
  nudge(): void {
    if (this.#state.is !== "up" || this.#liveness.nudgedAt !== undefined) return;
    this.#liveness = { ...this.#liveness, nudgedAt: Date.now() };
    this.#sendNudge();
  }

  /** Resolves when the room has received everything sent before, or without a link. */
  async confirmed(): Promise<void> {
    if (this.#state.is !== "up") return;
    this.#sendNudge();
    const number = this.#nudges;
    await new Promise<void>((resolve) => this.#confirmations.push({ number, resolve }));
  }

  /** Returns the round-trip time to the room in ms; undefined if the link is lost meanwhile. */
  async roundTrip(): Promise<number | undefined> {
    if (this.#state.is !== "up") return undefined;
    const { socket } = this.#state;
    const began = performance.now();
    await this.confirmed();
    return this.#isCurrent(socket) ? performance.now() - began : undefined;
  }

  /**
   * Whether a message with the room's timestamp `at` is too old to act on. If so, every message
   * counts as late until the room answers a nudge that is sent now.
   */
  isLate(at: number): boolean {
    const clocks = readClocks();
    if (countsAsLate(this.#freshness, clocks)) return true;
    if (!isFarFromNow(this.#freshness, at, clocks)) return false;
    this.#doubt("the room's messages come late");
    return true;
  }

  #doubt(reason: string): void {
    if (this.#state.is !== "up" || this.#freshness.doubtedUntil !== undefined) return;
    this.#log.warn(`${reason}: input is dropped until the room answers`);
    const now = Date.now();
    // Earlier nudges prove nothing: their answers may have waited in the socket.
    this.#liveness = { receivedAt: now, pingedAt: undefined, nudgedAt: now };
    this.#sendNudge();
    this.#freshness = startDoubt(this.#freshness, this.#nudges);
  }

  #sendNudge(): void {
    this.#nudges++;
    this.#nudgedAt.push(Date.now());
    this.send(FrameType.nudge, 0);
  }

  /** Handles the answer to the oldest unanswered nudge: answers come in order. */
  #onAlive({ payload }: Frame): void {
    this.#nudgeAnswers++;
    const sentAt = this.#nudgedAt.shift();
    const roomNow = decodeOffset(payload);
    if (sentAt !== undefined && roomNow !== undefined) {
      const exchange = { number: this.#nudgeAnswers, sentAt, roomNow };
      this.#freshness = applyNudgeAnswer(this.#freshness, exchange, readClocks());
    }
    while (
      this.#confirmations[0] !== undefined &&
      this.#confirmations[0].number <= this.#nudgeAnswers
    ) {
      this.#confirmations.shift()?.resolve();
    }
  }

  #dial(): void {
    // A rising number that needs no file: the clock rises across restarts, the counter within one
    // run.
    this.#epoch = Math.max(this.#epoch + 1, Date.now());
    const dial = createDial(this.#address, this.#route);
    const socket = new WebSocket(linkUrl(this.#address, this.#credentials.workspace), {
      ...dial.options,
      headers: { [KNOCK_HEADER]: computeKnock(this.#credentials, this.#address.origin) },
      perMessageDeflate: false,
      maxPayload: MAX_LINK_MESSAGE,
      // Masking protects plain-text proxies from hostile scripts. Loopback and TLS have neither,
      // and masking costs as much as the rest of the bridge's work on a byte. Small messages are
      // masked anyway: ws then writes header and body in one piece.
      ...(this.#address.loopback || this.#address.secure
        ? { generateMask: (mask: Buffer) => mask.fill(this.#isSmall ? 1 : 0) }
        : {}),
    });
    const timer = setTimeout(
      () => this.#onLost(socket, "the relay did not accept in time"),
      GREETING_TIMEOUT_MS,
    );
    this.#enter({ is: "greeting", socket, timer }, `dialling ${this.#address.origin}`);
    socket.on("message", (data: Buffer, binary) => this.#onMessage(socket, data, binary));
    socket.on("close", (code, reason) => this.#onClose(socket, code, reason.toString()));
    socket.on("error", (error) => this.#onLost(socket, toDialProblem(error, dial.getProgress())));
    // Ends the connection to a proxy that never answers.
    socket.on("close", () => dial.abort());
    socket.on("unexpected-response", (_request, response) => {
      response.resume();
      const { proxy, proxyStatus: status = 0, host } = dial.getProgress();
      if (proxy !== undefined && status !== PROXY_CONNECTED) {
        return this.#onLost(socket, toProxyProblem(status, proxy, host));
      }
      const reason = `the relay answered ${response.statusCode}`;
      if (response.statusCode === 403) this.#onRefused(socket, CloseCode.forbidden, reason);
      else this.#onLost(socket, reason);
      return undefined;
    });
  }

  #onMessage(socket: WebSocket, data: Buffer, binary: boolean): void {
    const state = this.#state;
    if (state.is !== "up" && state.is !== "greeting") return;
    if (state.socket !== socket) return;
    this.#detectSuspend(readClocks());
    this.#liveness = { receivedAt: Date.now(), pingedAt: undefined, nudgedAt: undefined };
    if (!binary) return;
    const decoded = decodeFrames(data);
    for (const frame of decoded.frames) this.#onFrame(socket, frame);
    if (!decoded.ok) this.#onLost(socket, `bad frame from the room: ${decoded.error.fault}`);
  }

  #onFrame(socket: WebSocket, frame: Frame): void {
    if (frame.type === FrameType.challenge) return this.#sendHello(socket, frame);
    if (frame.type === FrameType.accepted) return this.#onAccepted(socket, frame);
    if (frame.type === FrameType.nudge) return this.send(FrameType.alive, 0);
    if (frame.type === FrameType.alive) return this.#onAlive(frame);
    if (frame.type === FrameType.greetAgain) this.#freshness = endExtension(this.#freshness);
    if (this.#state.is === "up") return this.#listener.onFrame(frame);
    return undefined;
  }

  #sendHello(socket: WebSocket, frame: Frame): void {
    const challenge = parsePayload(Challenge, frame.payload);
    if (!challenge.ok) return this.#onLost(socket, `bad challenge: ${challenge.error}`);
    const hello = createHello(
      challenge.value,
      this.#credentials,
      this.#address.origin,
      this.#instance,
      this.#epoch,
    );
    return socket.send(encodeFrame(FrameType.hello, 0, toPayload(hello)));
  }

  #onAccepted(socket: WebSocket, frame: Frame): void {
    if (this.#state.is !== "greeting") return;
    this.#attempt = 0;
    const timer = setInterval(() => this.#check(socket), CHECK_EVERY_MS);
    this.#enter({ is: "up", socket, timer }, "accepted");
    const accepted = parsePayload(Accepted, frame.payload);
    const now = readClocks();
    this.#freshness = startFreshness(accepted.ok ? accepted.value.now : now.wall, now);
    this.#listener.onUp();
    this.#listener.onFrame(frame);
  }

  /** Checks, before any received frame is handled, whether this process was suspended. */
  #detectSuspend(clocks: Clocks): void {
    if (!wasSuspended(this.#freshness, clocks)) return;
    this.#doubt("this process was suspended");
    // One gap starts one doubt: the next frame may come before the timer fires.
    this.#freshness = { ...this.#freshness, tick: clocks };
    if (this.#address.loopback) this.#freshness = extendDoubt(this.#freshness, clocks);
  }

  #check(socket: WebSocket): void {
    const clocks = readClocks();
    // The timer may run before queued frames are handled and must not hide the gap from them.
    this.#detectSuspend(clocks);
    this.#freshness = { ...this.#freshness, tick: clocks };
    if (isOffsetOld(this.#freshness, clocks)) this.nudge();
    const now = clocks.wall;
    const verdict = judgeLiveness(this.#liveness, now, this.#listener.hasUnconfirmed());
    switch (verdict) {
      case "fine":
        return undefined;
      case "ping":
        this.#liveness = { ...this.#liveness, pingedAt: now };
        return socket.send(PING);
      case "nudge":
        return this.nudge();
      case "dead":
        return this.#onLost(socket, "the relay no longer answers");
    }
  }

  #onClose(socket: WebSocket, code: number, reason: string): void {
    if (FINAL_CLOSE_CODES.has(code)) return this.#onRefused(socket, code, reason);
    return this.#onLost(socket, reason === "" ? `closed with ${code}` : `${reason} (${code})`);
  }

  #onRefused(socket: WebSocket, code: number, reason: string): void {
    if (!this.#isCurrent(socket)) return;
    const wasUp = this.isUp;
    this.lastProblem = reason;
    this.#enter({ is: "stopped" }, `refused: ${reason} (${code})`);
    socket.terminate();
    if (wasUp) this.#listener.onDown(reason, false);
    this.#listener.onRefused(code, reason);
  }

  #onLost(socket: WebSocket, why: string | DialProblem): void {
    if (!this.#isCurrent(socket)) return;
    const wasUp = this.isUp;
    const problem = typeof why === "string" ? { reason: why, isPermanent: false } : why;
    const { reason } = problem;
    this.lastProblem = reason;
    const wait = backoffMs(this.#attempt++, this.#address.loopback, Math.random());
    const timer = setTimeout(() => this.#dial(), wait);
    this.#enter(
      { is: "waiting", timer, retryAt: Date.now() + wait },
      `${reason}; retrying in ${wait} ms`,
    );
    socket.terminate();
    if (wasUp) this.#listener.onDown(reason, why === HOST_REPLACED);
    else this.#listener.onFailed(problem);
  }

  #isCurrent(socket: WebSocket): boolean {
    const state = this.#state;
    return (state.is === "up" || state.is === "greeting") && state.socket === socket;
  }

  #enter(state: LinkState, reason: string): void {
    if (this.#state.is !== "stopped") clearTimeout(this.#state.timer);
    this.#log.info(`link ${this.#state.is} → ${state.is}: ${reason}`);
    if (this.isUp !== (state.is === "up")) this.#since = Date.now();
    this.#state = state;
    this.#batch.clear();
    // A new link does not answer nudges of this one.
    this.#nudges = 0;
    this.#nudgeAnswers = 0;
    this.#nudgedAt = [];
    for (const { resolve } of this.#confirmations.splice(0)) resolve();
  }
}

function readClocks(): Clocks {
  return { wall: Date.now(), monotonic: performance.now() };
}
