// Owns a bridge's way into the room, from the challenge until it has the link: hello, claim, and
// the takeover of an existing link. Does not send on accepted links.

import { CloseCode } from "../../protocol/codes.ts";
import { decodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { MAX_HELLO_BYTES } from "../../protocol/limits.ts";
import type { BridgeVerdict } from "../edge/bridge-socket.ts";
import type { RoomRequestInfo } from "../edge/room-request.ts";
import { getMessageSize } from "../rate-limiter.ts";
import type { RoomRefusal } from "./admission.ts";
import type { Socket } from "./socket-state.ts";
import type { Candidate } from "./takeover-candidates.ts";
import { TakeoverCandidates } from "./takeover-candidates.ts";
import { timingSafeEqual } from "./grants.ts";
import type { DialInfo } from "./pending-hellos.ts";
import { PendingHellos } from "./pending-hellos.ts";
import type { ClaimRules, Refusal } from "./hello.ts";
import { judgeHello } from "./hello.ts";
import type { Link } from "./link.ts";
import type { Claim, Records } from "./records.ts";
import { closeAndRecord } from "./sockets.ts";
import { decideTakeover } from "./takeover.ts";
import { BridgeVerdicts } from "./bridge-verdicts.ts";

/** The bridge must connect again as a stranger, with one of the Worker's permits. */
const UNKNOWN_BRIDGE: RoomRefusal = {
  ok: false,
  close: CloseCode.unauthorized,
  code: "unauthorized",
  error: "This is not the bridge that was connected last.",
};
const TOO_MANY_BRIDGES: RoomRefusal = {
  ok: false,
  close: CloseCode.tryLater,
  code: "too_many",
  error: "Too many bridges are connecting.",
};

export interface BridgeDoorDeps {
  readonly records: Records;
  readonly rules: ClaimRules;
  /** Returns the room's name. Called late: the runtime may not know it during construction. */
  readonly workspace: () => string;
  readonly link: () => Link | undefined;
  /** Gives the link to the candidate. `old` is the reason with which the present link ends. */
  readonly accept: (candidate: Candidate, old?: Refusal) => void;
  /** Fires when the room is unclaimed and no bridge is about to claim it. */
  readonly onUnused: () => void;
}

export class BridgeDoor {
  readonly #deps: BridgeDoorDeps;
  readonly #pending = new PendingHellos((...end) => this.#reject(...end));
  readonly #verdicts = new BridgeVerdicts();
  readonly #takeover = new TakeoverCandidates(() => this.#onLinkSilent());
  #claim: Claim | undefined;

  constructor(deps: BridgeDoorDeps) {
    this.#deps = deps;
    this.#claim = deps.records.claim;
  }

  get isClaimed(): boolean {
    return this.#claim !== undefined;
  }

  /** Returns why a bridge may not open a socket; undefined if it may. */
  findRefusal({ knock, stranger }: RoomRequestInfo): RoomRefusal | undefined {
    if (stranger === true)
      return this.#pending.allowsStranger(Date.now()) ? undefined : TOO_MANY_BRIDGES;
    const known = this.#deps.records.knock;
    const isKnown = known !== undefined && knock !== undefined && timingSafeEqual(known, knock);
    return isKnown ? undefined : UNKNOWN_BRIDGE;
  }

  /** Sends the challenge to a bridge that just connected. */
  challenge(socket: Socket, { host, knock, stranger = true }: RoomRequestInfo): void {
    this.#pending.challenge(socket, {
      host,
      stranger,
      ...(knock === undefined ? {} : { knock }),
    });
  }

  /** Restores a challenged bridge after the room hibernated. */
  resume(socket: Socket, { nonce, ...dial }: DialInfo & { readonly nonce: string }): void {
    this.#pending.resume(socket, dial, nonce);
  }

  /** Resolves with the verdict on a bridge's socket once it is decided. */
  async verdictOn(id: string): Promise<BridgeVerdict> {
    if (this.#deps.link()?.socket.id === id) return { isOwner: true };
    if (this.#pending.hasId(id) || this.#verdicts.isLeaving(id)) return this.#verdicts.wait(id);
    return { isOwner: false, bytes: 0 };
  }

  isPending(socket: WebSocket): boolean {
    return this.#pending.has(socket);
  }

  onSocketClosed(socket: WebSocket): void {
    this.#takeover.remove(socket);
    this.#verdicts.onLeft(socket);
    const dial = this.#pending.remove(socket);
    if (dial === undefined) return;
    this.#verdicts.settleUnjudged(dial);
    this.#reportIfUnused();
  }

  /** Handles a message from a socket that is neither link, peer nor challenged bridge. */
  onStrayMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#verdicts.onMessage(socket, getMessageSize(message));
  }

  /** Rejects waiting candidates: any message on the link shows that its bridge is alive. */
  onLinkMessage(): void {
    if (!this.#takeover.isOpen) return;
    for (const { socket } of this.#takeover.takeAll()) this.#rejectDuplicate(socket);
  }

  /** Gives the lost link to the first waiting candidate. Returns whether there was one. */
  onLinkLost(): boolean {
    const [successor, ...others] = this.#takeover.takeAll();
    if (successor === undefined) return false;
    this.#accept(successor);
    for (const { socket } of others) this.#rejectDuplicate(socket);
    return true;
  }

  async onHello(stranger: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const pending = this.#pending.spendNonce(stranger);
    // Only the first hello counts; later messages are ignored until it is judged.
    if (pending === undefined) return undefined;
    const { socket, greeted: dial, nonce } = pending;
    const size = getMessageSize(message);
    if (size > MAX_HELLO_BYTES) {
      return this.#reject(socket, CloseCode.tooBig, "The hello is too long.", size);
    }
    const frame = typeof message === "string" ? undefined : decodeFrame(new Uint8Array(message));
    if (frame?.type !== FrameType.hello) {
      return this.#reject(socket, CloseCode.badMessage, "The first message must be a hello.");
    }
    const context = { nonce, host: dial.host, workspace: this.#deps.workspace() };
    const { rules } = this.#deps;
    const verdict = await judgeHello(frame.payload, context, () => ({ claim: this.#claim, rules }));
    if (!this.#pending.has(stranger)) return undefined;
    if (!verdict.ok) return this.#reject(socket, verdict.refusal.code, verdict.refusal.reason);
    const { knock } = dial;
    // With the knock the owner can connect even while strangers use up their permits.
    if (knock !== undefined && knock !== this.#deps.records.knock) {
      this.#deps.records.knock = knock;
    }
    return this.#admit({ socket, hello: verdict.hello });
  }

  #admit(candidate: Candidate): void {
    const { socket, hello } = candidate;
    this.#verdicts.settleOwner(socket);
    if (this.#claim === undefined) {
      this.#claim = { publicKey: hello.publicKey, claimedAt: Date.now() };
      this.#deps.records.claim = this.#claim;
    }
    const link = this.#deps.link();
    const decision = decideTakeover(link, hello);
    switch (decision) {
      case "accept":
        return this.#accept(candidate);
      case "replace":
        return this.#replace(candidate, CloseCode.replaced, "A newer link took over.");
      case "ask":
        this.#takeover.add(candidate);
        return link?.send(FrameType.nudge, 0);
      default:
        return decision satisfies never;
    }
  }

  #onLinkSilent(): void {
    const [successor] = this.#takeover.candidates;
    if (successor === undefined) return;
    const reason = "This link did not answer, and another bridge took over.";
    this.#replace(successor, CloseCode.anotherBridge, reason);
  }

  #replace(candidate: Candidate, code: number, reason: string): void {
    const others = this.#takeover.takeAll();
    this.#accept(candidate, { code, reason });
    for (const { socket } of others) if (socket !== candidate.socket) this.#rejectDuplicate(socket);
  }

  #accept(candidate: Candidate, old?: Refusal): void {
    this.#pending.remove(candidate.socket);
    this.#deps.accept(candidate, old);
  }

  #rejectDuplicate(socket: Socket): void {
    const reason = "Another bridge has this workspace, and it answers.";
    this.#reject(socket, CloseCode.anotherBridge, reason);
  }

  /** Rejects a socket. `bytes`: size of a message that was too long to read. */
  #reject(socket: Socket, code: number, reason: string, bytes = 0): void {
    this.#pending.remove(socket);
    this.#verdicts.onRejected(socket, bytes);
    closeAndRecord(socket, code, reason);
    this.#reportIfUnused();
  }

  #reportIfUnused(): void {
    if (this.#claim === undefined && this.#pending.isEmpty) this.#deps.onUnused();
  }
}
