// Owns a bridge's way into the room, from the challenge until it has the link: hello, claim, and
// the takeover of an existing link. Does not send on accepted links.

import { CloseCode } from "../../protocol/codes.ts";
import { decodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { MAX_HELLO_BYTES } from "../../protocol/limits.ts";
import type { Verdict } from "../edge/bridge-socket.ts";
import type { Asked } from "../edge/room-request.ts";
import { sizeOf } from "../patience.ts";
import type { Refused } from "./admission.ts";
import type { Socket } from "./attachment.ts";
import type { Candidate } from "./contest.ts";
import { Contest } from "./contest.ts";
import { sameText } from "./grants.ts";
import type { Greeted } from "./greetings.ts";
import { Greetings } from "./greetings.ts";
import type { ClaimRules, Refusal } from "./hello.ts";
import { judgeHello } from "./hello.ts";
import type { Link } from "./link.ts";
import type { Claim, Records } from "./records.ts";
import { retire } from "./sockets.ts";
import { decideTakeover } from "./takeover.ts";
import { Verdicts } from "./verdicts.ts";

/** The bridge must connect again as a stranger, with one of the Worker's permits. */
const NOT_KNOWN: Refused = {
  ok: false,
  close: CloseCode.unauthorized,
  code: "unauthorized",
  error: "This is not the bridge that was connected last.",
};
const TOO_MANY: Refused = {
  ok: false,
  close: CloseCode.tryLater,
  code: "too_many",
  error: "Too many bridges are connecting.",
};

export interface BridgeDoorParts {
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
  readonly #parts: BridgeDoorParts;
  readonly #greetings = new Greetings((...end) => this.#turnAway(...end));
  readonly #verdicts = new Verdicts();
  readonly #contest = new Contest(() => this.#onSilence());
  #claim: Claim | undefined;

  constructor(parts: BridgeDoorParts) {
    this.#parts = parts;
    this.#claim = parts.records.claim;
  }

  get isClaimed(): boolean {
    return this.#claim !== undefined;
  }

  /** Returns why a bridge may not open a socket; undefined if it may. */
  refuses({ knock, stranger }: Asked): Refused | undefined {
    if (stranger === true) return this.#greetings.mayCome(Date.now()) ? undefined : TOO_MANY;
    const known = this.#parts.records.knock;
    const isKnown = known !== undefined && knock !== undefined && sameText(known, knock);
    return isKnown ? undefined : NOT_KNOWN;
  }

  /** Sends the challenge to a bridge that just connected. */
  greet(socket: Socket, { host, knock, stranger = true }: Asked): void {
    this.#greetings.challenge(socket, {
      host,
      stranger,
      ...(knock === undefined ? {} : { knock }),
    });
  }

  /** Restores a challenged bridge after the room hibernated. */
  resume(socket: Socket, { nonce, ...greeted }: Greeted & { readonly nonce: string }): void {
    this.#greetings.resume(socket, greeted, nonce);
  }

  /** Resolves with the verdict on a bridge's socket once it is decided. */
  async verdictOn(id: string): Promise<Verdict> {
    if (this.#parts.link()?.socket.id === id) return { isOwner: true };
    if (this.#greetings.isNamed(id) || this.#verdicts.isLeaving(id)) return this.#verdicts.on(id);
    return { isOwner: false, bytes: 0 };
  }

  has(socket: WebSocket): boolean {
    return this.#greetings.has(socket);
  }

  left(socket: WebSocket): void {
    this.#contest.leave(socket);
    this.#verdicts.left(socket);
    const greeted = this.#greetings.leave(socket);
    if (greeted === undefined) return;
    this.#verdicts.gone(greeted);
    this.#tidy();
  }

  /** Handles a message from a socket that is neither link, peer nor challenged bridge. */
  unasked(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#verdicts.spoke(socket, sizeOf(message));
  }

  /** Rejects waiting candidates: any message on the link shows that its bridge is alive. */
  linkSpoke(): void {
    if (!this.#contest.isOpen) return;
    for (const { socket } of this.#contest.settle()) this.#refuseSecond(socket);
  }

  /** Gives the lost link to the first waiting candidate. Returns whether there was one. */
  linkLost(): boolean {
    const [heir, ...others] = this.#contest.settle();
    if (heir === undefined) return false;
    this.#enter(heir);
    for (const { socket } of others) this.#refuseSecond(socket);
    return true;
  }

  async message(stranger: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const greeting = this.#greetings.spendNonce(stranger);
    // Only the first hello counts; later messages are ignored until it is judged.
    if (greeting === undefined) return undefined;
    const { socket, greeted, nonce } = greeting;
    const size = sizeOf(message);
    if (size > MAX_HELLO_BYTES) {
      return this.#turnAway(socket, CloseCode.tooBig, "The hello is too long.", size);
    }
    const frame = typeof message === "string" ? undefined : decodeFrame(new Uint8Array(message));
    if (frame?.type !== FrameType.hello) {
      return this.#turnAway(socket, CloseCode.badMessage, "The first message must be a hello.");
    }
    const place = { nonce, host: greeted.host, workspace: this.#parts.workspace() };
    const { rules } = this.#parts;
    const verdict = await judgeHello(frame.payload, place, () => ({ claim: this.#claim, rules }));
    if (!this.#greetings.has(stranger)) return undefined;
    if (!verdict.ok) return this.#turnAway(socket, verdict.refusal.code, verdict.refusal.reason);
    const { knock } = greeted;
    // With the knock the owner can connect even while strangers use up their permits.
    if (knock !== undefined && knock !== this.#parts.records.knock) {
      this.#parts.records.knock = knock;
    }
    return this.#judge({ socket, hello: verdict.hello });
  }

  #judge(candidate: Candidate): void {
    const { socket, hello } = candidate;
    this.#verdicts.isOwner(socket);
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

  /** Rejects a socket. `bytes`: size of a message that was too long to read. */
  #turnAway(socket: Socket, code: number, reason: string, bytes = 0): void {
    this.#greetings.leave(socket);
    this.#verdicts.turnedAway(socket, bytes);
    retire(socket, code, reason);
    this.#tidy();
  }

  #tidy(): void {
    if (this.#claim === undefined && this.#greetings.isEmpty) this.#parts.onUnused();
  }
}
