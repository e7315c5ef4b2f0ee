// Owns the way of a bridge into the room, from its challenge to the moment it has the link: hello,
// claim, and the contest with a link that is there already. Does not speak on accepted links.

import { CloseCode } from "../../protocol/codes.ts";
import { decodeFrames } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Socket } from "./attachment.ts";
import type { Candidate } from "./contest.ts";
import { Contest } from "./contest.ts";
import { Greetings } from "./greetings.ts";
import type { ClaimRules, Refusal } from "./hello.ts";
import { judgeClaim, judgeHello } from "./hello.ts";
import type { Link } from "./link.ts";
import type { Claim, Records } from "./records.ts";
import { retire } from "./sockets.ts";
import { decideTakeover } from "./takeover.ts";

export interface BridgeDoorParts {
  readonly records: Records;
  readonly rules: ClaimRules;
  /** Read late: the runtime may not know the name while the room is made. */
  readonly workspace: () => string;
  readonly link: () => Link | undefined;
  /** The candidate has the room. With `old`, the link that was there is to be ended like that. */
  readonly accept: (candidate: Candidate, old?: Refusal) => void;
  /** Nobody claimed this room and nobody is about to. */
  readonly onUnused: () => void;
}

export class BridgeDoor {
  readonly #parts: BridgeDoorParts;
  readonly #greetings = new Greetings(() => this.#tidy());
  readonly #contest = new Contest(() => this.#onSilence());
  #claim: Claim | undefined;

  constructor(parts: BridgeDoorParts) {
    this.#parts = parts;
    this.#claim = parts.records.claim;
  }

  get isClaimed(): boolean {
    return this.#claim !== undefined;
  }

  /** A bridge connected. */
  greet(socket: Socket, host: string): void {
    this.#greetings.challenge(socket, host);
  }

  /** The room slept while a bridge was about to say hello. */
  resume(socket: Socket, state: { readonly host: string; readonly nonce: string }): void {
    this.#greetings.resume(socket, state.host, state.nonce);
  }

  has(socket: WebSocket): boolean {
    return this.#greetings.has(socket);
  }

  left(socket: WebSocket): void {
    this.#contest.leave(socket);
    if (this.#greetings.leave(socket)) this.#tidy();
  }

  /** Any message on the link is a sign of life: whoever waits for its end has lost. */
  linkSpoke(): void {
    if (!this.#contest.isOpen) return;
    for (const { socket } of this.#contest.settle()) this.#refuseSecond(socket);
  }

  /** The link ended by itself: the first who waits gets the room. True if there was one. */
  linkLost(): boolean {
    const [heir, ...others] = this.#contest.settle();
    if (heir === undefined) return false;
    this.#enter(heir);
    for (const { socket } of others) this.#refuseSecond(socket);
    return true;
  }

  async message(stranger: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const greeting = this.#greetings.spendNonce(stranger);
    // One hello is enough; until it is judged there is nothing more to say.
    if (greeting === undefined) return undefined;
    const { socket, host, nonce } = greeting;
    const decoded = typeof message === "string" ? undefined : decodeFrames(new Uint8Array(message));
    const [frame] = decoded?.frames ?? [];
    if (!decoded?.ok || frame?.type !== FrameType.hello) {
      const tooLong = decoded?.ok === false && decoded.error.fault === "too_long";
      const code = tooLong ? CloseCode.tooBig : CloseCode.badMessage;
      return this.#turnAway(socket, code, "The first message must be a hello.");
    }
    const workspace = this.#parts.workspace();
    const verdict = await judgeHello(frame.payload, { nonce, host, workspace });
    if (!this.#greetings.has(stranger)) return undefined;
    if (!verdict.ok) return this.#turnAway(socket, verdict.refusal.code, verdict.refusal.reason);
    return this.#judge({ socket, hello: verdict.hello });
  }

  #judge(candidate: Candidate): void {
    const { socket, hello } = candidate;
    const refusal = judgeClaim(this.#claim, hello, this.#parts.rules);
    if (refusal !== undefined) return this.#turnAway(socket, refusal.code, refusal.reason);
    if (this.#claim === undefined) {
      this.#claim = { publicKey: hello.publicKey, claimedAt: Date.now() };
      this.#parts.records.claim = this.#claim;
    }
    const link = this.#parts.link();
    const decision = decideTakeover(link, hello);
    switch (decision) {
      case "accept":
        return this.#enter(candidate);
      case "replace":
        return this.#replace(candidate, CloseCode.replaced, "A newer link took over.");
      case "ask":
        this.#contest.enter(candidate);
        return link?.send(FrameType.nudge, 0);
      default:
        return decision satisfies never;
    }
  }

  #onSilence(): void {
    const [heir] = this.#contest.candidates;
    if (heir === undefined) return;
    const reason = "This link did not answer, and another bridge took over.";
    this.#replace(heir, CloseCode.anotherBridge, reason);
  }

  #replace(candidate: Candidate, code: number, reason: string): void {
    const others = this.#contest.settle();
    this.#enter(candidate, { code, reason });
    for (const { socket } of others) if (socket !== candidate.socket) this.#refuseSecond(socket);
  }

  #enter(candidate: Candidate, old?: Refusal): void {
    this.#greetings.leave(candidate.socket);
    this.#parts.accept(candidate, old);
  }

  #refuseSecond(socket: Socket): void {
    const reason = "Another bridge has this workspace, and it answers.";
    this.#turnAway(socket, CloseCode.anotherBridge, reason);
  }

  #turnAway(socket: Socket, code: number, reason: string): void {
    this.#greetings.leave(socket);
    retire(socket, code, reason);
    this.#tidy();
  }

  #tidy(): void {
    if (this.#claim === undefined && this.#greetings.isEmpty) this.#parts.onUnused();
  }
}
