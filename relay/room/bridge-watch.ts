// Owns watching the accepted link: it nudges a quiet bridge when a peer needs it, waits for the
// answer, and reports when the bridge has become silent or is back. What follows is the room's.

import { NUDGE_TIMEOUT_MS } from "../../protocol/limits.ts";
import type { Hearing } from "./silence.ts";
import { decide, isHeardLately, look } from "./silence.ts";

export interface BridgeWatchDeps {
  /** Unix ms of the link's last `ping`: the runtime answers those without waking the room. */
  readonly getPingedAt: () => number | undefined;
  readonly nudge: () => void;
  /** It does not answer; it was last heard at `since`. */
  readonly onSilent: (since: number) => void;
  /** It was silent, and now sent something. */
  readonly onBack: () => void;
  /** It was silent for so long that the link should end. */
  readonly onGivenUp: () => void;
}

export class BridgeWatch {
  readonly #deps: BridgeWatchDeps;
  #hearing: Hearing = { is: "heard", at: 0 };
  #timer: number | null = null;

  constructor(deps: BridgeWatchDeps) {
    this.#deps = deps;
  }

  /** Undefined while the bridge answers. */
  get silentSince(): number | undefined {
    return this.#hearing.is === "silent" ? this.#hearing.since : undefined;
  }

  /** A link was accepted, or has ended. */
  restart(now: number): void {
    this.#enter({ is: "heard", at: now });
  }

  /** The room slept: when it last heard the bridge is not known. */
  resume(silentSince: number | undefined): void {
    if (silentSince !== undefined) this.#enter({ is: "silent", since: silentSince });
  }

  /** A message came by the link. Hot path. */
  heard(now: number): void {
    const before = this.#hearing;
    this.#enter({ is: "heard", at: now });
    if (before.is === "silent") this.#deps.onBack();
  }

  /** A peer spoke or joined, or an alarm came: a bridge that was quiet for `quietMs` is nudged. */
  look(quietMs: number, now: number): void {
    if (isHeardLately(this.#hearing, quietMs, now)) return undefined;
    const step = look(this.#hearing, quietMs, this.#deps.getPingedAt(), now);
    switch (step.do) {
      case "nothing":
        return undefined;
      case "give up":
        return this.#deps.onGivenUp();
      case "nudge":
        this.#enter(step.next);
        // Keeps the room awake until the answer comes, and for seconds at most.
        this.#timer = setTimeout(() => this.#decide(), NUDGE_TIMEOUT_MS);
        return this.#deps.nudge();
      default:
        return step satisfies never;
    }
  }

  #decide(): void {
    this.#timer = null;
    const next = decide(this.#hearing, this.#deps.getPingedAt());
    this.#hearing = next;
    if (next.is === "silent") this.#deps.onSilent(next.since);
  }

  #enter(hearing: Hearing): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#hearing = hearing;
  }
}
