// Owns the one link to the room: its states from the first dial on, the handshake, liveness and
// redialling. Passes frames on; the listener interprets them. The socket is opened in dial-room.ts;
// nudges are counted in nudge-exchange.ts, late messages detected in late-detector.ts.

import type { WebSocket } from "ws";
import { CloseCode } from "../../protocol/codes.ts";
import type { Frame } from "../../protocol/frame.ts";
import { decodeFrames, encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { parsePayload, toPayload } from "../../protocol/json.ts";
import { KiB, MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import { Accepted, Challenge } from "../../protocol/link.ts";
import type { Log } from "../log.ts";
import type { RelayAddress } from "./relay-address.ts";
import { FrameBatch, REMOTE_BATCH_MS } from "./frame-batch.ts";
import type { Liveness } from "./liveness.ts";
import { backoffMs, judgeLiveness } from "./liveness.ts";
import type { DialProblem } from "./dial-problem.ts";
import { dialRoom } from "./dial-room.ts";
import type { LinkListener, LinkState, LinkStatus } from "./link-state.ts";
import { LateDetector } from "./late-detector.ts";
import { NudgeExchange } from "./nudge-exchange.ts";
import type { Credentials } from "./handshake.ts";
import { createHello } from "./handshake.ts";
import type { DialRoute } from "./dial-route.ts";

/** Time from dialling to `accepted`: longer than the room may take to nudge an older link. */
const GREETING_TIMEOUT_MS = 15_000;
const CHECK_EVERY_MS = 1_000;
const PING = "ping";
/** Reason with which `restart` closes the link. */
const HOST_REPLACED: DialProblem = { reason: "the pty host is a new one", isPermanent: false };
/** Messages up to this size are copied, which is cheaper than two writes. */
const MAX_SMALL_BYTES = 1 * KiB;

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
  readonly #nudges = new NudgeExchange(() => this.send(FrameType.nudge, 0));
  readonly #lateDetector: LateDetector;
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
    this.#lateDetector = new LateDetector({
      isNear: address.loopback,
      startDoubt: (reason) => this.#startDoubt(reason),
    });
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
    this.#nudges.send();
  }

  /** Resolves when the room has received everything sent before, or without a link. */
  async confirmed(): Promise<void> {
    if (this.#state.is !== "up") return;
    await this.#nudges.confirmed();
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
    return this.#lateDetector.isLate(at);
  }

  /** Nudges the room and returns the nudge's number; undefined while the link is not up. */
  #startDoubt(reason: string): number | undefined {
    if (this.#state.is !== "up") return undefined;
    this.#log.warn(`${reason}: input is dropped until the room answers`);
    const now = Date.now();
    // Earlier nudges prove nothing: their answers may have waited in the socket.
    this.#liveness = { receivedAt: now, pingedAt: undefined, nudgedAt: now };
    return this.#nudges.send();
  }

  #dial(): void {
    // A rising number that needs no file: the clock rises across restarts, the counter within one
    // run.
    this.#epoch = Math.max(this.#epoch + 1, Date.now());
    const [address, route, credentials] = [this.#address, this.#route, this.#credentials];
    const socket = dialRoom(
      { address, route, credentials, isSmall: () => this.#isSmall },
      {
        onMessage: (from, data, binary) => this.#onMessage(from, data, binary),
        onLost: (from, why) => this.#onLost(from, why),
        onRefused: (from, code, reason) => this.#onRefused(from, code, reason),
      },
    );
    const timer = setTimeout(
      () => this.#onLost(socket, "the relay did not accept in time"),
      GREETING_TIMEOUT_MS,
    );
    this.#enter({ is: "greeting", socket, timer }, `dialling ${this.#address.origin}`);
  }

  #onMessage(socket: WebSocket, data: Buffer, binary: boolean): void {
    const state = this.#state;
    if (state.is !== "up" && state.is !== "greeting") return;
    if (state.socket !== socket) return;
    this.#lateDetector.detectSuspend();
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
    if (frame.type === FrameType.alive)
      return this.#lateDetector.onNudgeAnswer(this.#nudges.onAnswer(frame.payload));
    if (frame.type === FrameType.greetAgain) this.#lateDetector.onGreetAgain();
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
    this.#lateDetector.restart(accepted.ok ? accepted.value.now : undefined);
    this.#listener.onUp();
    this.#listener.onFrame(frame);
  }

  #check(socket: WebSocket): void {
    if (this.#lateDetector.tick()) this.nudge();
    const now = Date.now();
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
    this.#nudges.reset();
  }
}
