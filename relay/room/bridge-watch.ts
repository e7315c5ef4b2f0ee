// Owns watching the accepted link: nudges a quiet bridge when a peer needs it, at once or when what
// the peer sent stays without an answer; waits for the answer, and reports when the bridge becomes
// silent or is back. The room decides what follows.

import { NUDGE_AFTER_QUIET_MS, NUDGE_TIMEOUT_MS } from "../../protocol/limits.ts";
import type { Liveness } from "./bridge-liveness.ts";
import { decideAfterNudge, wasSeenRecently, planCheck } from "./bridge-liveness.ts";

export interface BridgeWatchDeps {
  /** Returns Unix ms of the last `ping`, which the runtime answers without waking the room. */
  readonly getPingedAt: () => number | undefined;
  readonly nudge: () => void;
  /** Fires when the bridge did not answer a nudge; `since` is its last sign of life. */
  readonly onSilent: (since: number) => void;
  /** Fires when a silent bridge sends something again. */
  readonly onRecovered: () => void;
  /** Fires when the bridge was silent for so long that the link should end. */
  readonly onGivenUp: () => void;
}

export class BridgeWatch {
  readonly #deps: BridgeWatchDeps;
  #liveness: Liveness = { is: "heard", at: 0 };
  /** While heard: until the next check. While nudged: until the decision. */
  #timer: number | null = null;
  /** Unix ms of the last message that was forwarded to the bridge. */
  #forwardedAt = 0;

  constructor(deps: BridgeWatchDeps) {
    this.#deps = deps;
  }

  /** Returns the last sign of life of a silent bridge; undefined while it responds. */
  get silentSince(): number | undefined {
    return this.#liveness.is === "silent" ? this.#liveness.since : undefined;
  }

  /** Starts over for a new link, or without one. */
  restart(now: number): void {
    this.#enter({ is: "heard", at: now });
  }

  /** Restores the state after hibernation, where only a silence is remembered. */
  resume(silentSince: number | undefined): void {
    if (silentSince !== undefined) this.#enter({ is: "silent", since: silentSince });
  }

  /** Records a message from the link. Hot path. */
  recordMessage(now: number): void {
    const previous = this.#liveness;
    this.#enter({ is: "heard", at: now });
    if (previous.is === "silent") this.#deps.onRecovered();
  }

  /** Nudges a bridge that was quiet for `quietMs`; called on peer messages, joins and alarms. */
  check(quietMs: number, now: number): void {
    if (wasSeenRecently(this.#liveness, quietMs, now)) return undefined;
    const step = planCheck(this.#liveness, quietMs, this.#deps.getPingedAt(), now);
    switch (step.do) {
      case "nothing":
        return undefined;
      case "give up":
        return this.#deps.onGivenUp();
      case "nudge":
        this.#enter(step.next);
        // The timer keeps the room awake until the answer comes, for a few seconds at most.
        this.#timer = setTimeout(() => this.#decide(), NUDGE_TIMEOUT_MS);
        return this.#deps.nudge();
      default:
        return step satisfies never;
    }
  }

  /**
   * Records a message forwarded to the bridge. A bridge heard just now was not nudged for it, and
   * the peer may send nothing else: if it stays quiet, it is nudged later. Hot path.
   */
  recordForwarded(now: number): void {
    this.#forwardedAt = now;
    if (this.#liveness.is === "heard") this.#timer ??= this.#checkLater(this.#liveness.at, now);
  }

  #checkLater(seenAt: number, now: number): number {
    const wait = Math.max(seenAt + NUDGE_AFTER_QUIET_MS - now, 0);
    return setTimeout(() => this.#checkAnswered(), wait);
  }

  #checkAnswered(): void {
    this.#timer = null;
    const [pingedAt, now] = [this.#deps.getPingedAt() ?? 0, Date.now()];
    if (pingedAt > this.#forwardedAt) return;
    this.check(NUDGE_AFTER_QUIET_MS, now);
    // The bridge pinged shortly before the message: that does not answer it either.
    if (this.#liveness.is === "heard") this.#timer = this.#checkLater(pingedAt, now);
  }

  #decide(): void {
    this.#timer = null;
    const next = decideAfterNudge(this.#liveness, this.#deps.getPingedAt());
    this.#liveness = next;
    if (next.is === "silent") this.#deps.onSilent(next.since);
  }

  #enter(liveness: Liveness): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#liveness = liveness;
  }
}
