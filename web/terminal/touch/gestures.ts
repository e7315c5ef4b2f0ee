// Owns recognising gestures: takes finger positions and times, returns decisions. Pure. Does not
// apply the decisions to a terminal. Also owns the motion of a swipe after the finger lifts: its
// speed and how it decays.

/** A finger that moves further is swiping, not tapping, px. */
export const SLOP_PX = 10;

/** Duration of a long press, as on phones. */
export const HOLD_MS = 450;

/** Limits within which two taps are a double tap. */
export const DOUBLE_TAP = { ms: 300, px: 30 };

export type GestureInput =
  | ({
      readonly kind: "down" | "move" | "up" | "cancel";
      readonly id: number;
      readonly at: number;
    } & Point)
  | { readonly kind: "tick"; readonly at: number };

type FingerInput = Exclude<GestureInput, { kind: "tick" }>;

export type Decision =
  | ({ readonly what: "tap" | "double tap" | "hold" | "drag" } & Point)
  /** The finger of a long press was lifted. */
  | { readonly what: "drop" }
  /** Distance since the last one, at the finger's position; `free` while coasting without a finger. */
  | ({ readonly what: "swipe"; readonly by: Point; readonly free: boolean } & Point)
  /** Factor since the last one, at the middle between the fingers. */
  | ({ readonly what: "pinch"; readonly by: number } & Point);

interface Finger extends Point {
  readonly id: number;
}

type Phase =
  | { readonly is: "still"; readonly tapped?: Sample }
  | { readonly is: "touching"; readonly from: Sample; readonly tapped?: Sample; mayTap: boolean }
  | { readonly is: "swiping"; readonly id: number; readonly trail: readonly Sample[] }
  | { readonly is: "holding"; readonly id: number }
  | { readonly is: "pinching" }
  | { readonly is: "coasting"; readonly coasting: Coasting }
  /** Ignores the remaining fingers until all are lifted. */
  | { readonly is: "over" };

export interface Gesture {
  readonly fingers: readonly Finger[];
  readonly phase: Phase;
}

export interface GestureResult {
  readonly gesture: Gesture;
  readonly decisions: readonly Decision[];
}

export const NO_GESTURE: Gesture = { fingers: [], phase: { is: "still" } };

/** Returns when the gesture needs a tick: at a time, with every frame, or never. */
export function getNextTick({ phase }: Gesture): number | "frame" | undefined {
  if (phase.is === "touching") return phase.from.at + HOLD_MS;
  return phase.is === "coasting" ? "frame" : undefined;
}

/** Advances the gesture by one event; `coasts`: whether a swipe continues after the finger lifts. */
export function advanceGesture(
  gesture: Gesture,
  touch: GestureInput,
  coasts: boolean,
): GestureResult {
  const { phase, fingers } = gesture;
  // The timer may be late: any event after HOLD_MS starts the long press first.
  if (phase.is === "touching" && touch.at - phase.from.at >= HOLD_MS) {
    const { x, y } = phase.from;
    const held: Gesture = { fingers, phase: { is: "holding", id: fingers[0]?.id ?? -1 } };
    return prependDecision({ what: "hold", x, y }, advanceGesture(held, touch, coasts));
  }
  if (touch.kind === "tick") return onTick(gesture, touch.at);
  const isKnown = fingers.some(({ id }) => id === touch.id);
  if (isKnown === (touch.kind === "down")) return { gesture, decisions: [] };
  switch (touch.kind) {
    case "down":
      return onDown(gesture, touch);
    case "move":
      return onMove(gesture, touch);
    case "up":
    case "cancel":
      return onLeave(gesture, touch, coasts && touch.kind === "up");
    default:
      return touch satisfies never;
  }
}

function onTick({ fingers, phase }: Gesture, at: number): GestureResult {
  if (phase.is !== "coasting") return { gesture: { fingers, phase }, decisions: [] };
  const { by, rest } = coastUntil(phase.coasting, at);
  const { x, y } = phase.coasting;
  return {
    gesture: { fingers, phase: rest ? { is: "coasting", coasting: rest } : { is: "still" } },
    decisions: [{ what: "swipe", x, y, by, free: true }],
  };
}

function onDown({ fingers, phase }: Gesture, { id, x, y, at }: FingerInput): GestureResult {
  const now = [...fingers, { id, x, y }];
  const become = (then: Phase): GestureResult => ({
    gesture: { fingers: now, phase: then },
    decisions: [],
  });
  switch (phase.is) {
    case "still":
      return become({ ...phase, is: "touching", from: { x, y, at }, mayTap: true });
    case "coasting":
      // This touch only stops the coasting.
      return become({ is: "touching", from: { x, y, at }, mayTap: false });
    case "touching":
    case "swiping":
      return become({ is: "pinching" });
    case "pinching":
      return become({ is: "over" });
    case "holding":
    case "over":
      return become(phase);
    default:
      return phase satisfies never;
  }
}

function onMove({ fingers, phase }: Gesture, { id, x, y, at }: FingerInput): GestureResult {
  const now = fingers.map((one) => (one.id === id ? { id, x, y } : one));
  const become = (then: Phase, ...decisions: Decision[]): GestureResult => ({
    gesture: { fingers: now, phase: then },
    decisions,
  });
  const swipe = (from: Point): Decision => ({
    what: "swipe",
    x,
    y,
    free: false,
    by: { x: x - from.x, y: y - from.y },
  });
  switch (phase.is) {
    case "touching": {
      if (getDistance(phase.from, { x, y }) < SLOP_PX) return become(phase);
      const trail = [phase.from, { x, y, at }];
      return become({ is: "swiping", id, trail }, swipe(phase.from));
    }
    case "swiping": {
      if (phase.id !== id) return become(phase);
      const last = phase.trail.at(-1) ?? { x, y };
      return become({ ...phase, trail: [...phase.trail.slice(-9), { x, y, at }] }, swipe(last));
    }
    case "holding":
      return phase.id === id ? become(phase, { what: "drag", x, y }) : become(phase);
    case "pinching":
      return become(phase, pinch(fingers, now));
    case "still":
    case "coasting":
    case "over":
      return become(phase);
    default:
      return phase satisfies never;
  }
}

function onLeave({ fingers, phase }: Gesture, touch: FingerInput, coasts: boolean): GestureResult {
  const { id, x, y, at } = touch;
  const rest = fingers.filter((one) => one.id !== id);
  const become = (then: Phase, ...decisions: Decision[]): GestureResult => {
    const isOver = rest.length > 0 && then.is !== "holding";
    return { gesture: { fingers: rest, phase: isOver ? { is: "over" } : then }, decisions };
  };
  if (phase.is === "holding")
    return phase.id === id ? become({ is: "still" }, { what: "drop" }) : become(phase);
  if (phase.is === "swiping" && coasts) {
    const speed = findSpeed(phase.trail, at);
    return become(speed ? { is: "coasting", coasting: { x, y, at, speed } } : { is: "still" });
  }
  if (phase.is !== "touching" || !phase.mayTap || touch.kind === "cancel")
    return become({ is: "still" });
  const { tapped, from } = phase;
  const isSecond =
    tapped && at - tapped.at <= DOUBLE_TAP.ms && getDistance(tapped, from) <= DOUBLE_TAP.px;
  if (isSecond) return become({ is: "still" }, { what: "double tap", x, y });
  return become({ is: "still", tapped: { x, y, at } }, { what: "tap", x, y });
}

function pinch(before: readonly Finger[], now: readonly Finger[]): Decision {
  const [one = ORIGIN, other = ORIGIN] = now;
  // Avoids a division by zero if a screen reports both fingers at one point.
  const [was, is] = [before, now].map(([a = ORIGIN, b = ORIGIN]) => Math.max(1, getDistance(a, b)));
  return {
    what: "pinch",
    x: (one.x + other.x) / 2,
    y: (one.y + other.y) / 2,
    by: (is ?? 1) / (was ?? 1),
  };
}

const ORIGIN: Point = { x: 0, y: 0 };

function getDistance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

function prependDecision(first: Decision, { gesture, decisions }: GestureResult): GestureResult {
  return { gesture, decisions: [first, ...decisions] };
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Sample extends Point {
  readonly at: number;
}

interface Coasting extends Sample {
  /** Pixels a millisecond. */
  readonly speed: Point;
}

/** Time window in which a finger's speed is measured. */
const TRAIL_MS = 100;

/** A finger that rested this long before it lifted does not coast. */
const REST_MS = 50;

/** Slower motion is not visible and stops, px/ms. */
const MIN_SPEED = 0.03;

/** Keeps a short flick from running through the whole scrollback, px/ms. */
const MAX_SPEED = 5;

/** Time constant of the decay, as on phones. */
const DECAY_MS = 325;

/** Returns the finger's speed when it lifted; undefined if it had stopped. */
function findSpeed(trail: readonly Sample[], at: number): Point | undefined {
  const last = trail.at(-1);
  const since = trail.findIndex((one) => at - one.at <= TRAIL_MS);
  // A busy browser reports few positions, so the one before the window is used, too.
  const first = trail[Math.max(0, since - 1)];
  if (!last || !first || at - last.at > REST_MS) return undefined;
  const ms = last.at - first.at;
  if (ms <= 0) return undefined;
  const speed = { x: clampSpeed((last.x - first.x) / ms), y: clampSpeed((last.y - first.y) / ms) };
  return isMoving(speed) ? speed : undefined;
}

/** Returns the distance since the last tick and the remaining motion. */
function coastUntil(before: Coasting, at: number): { by: Point; rest: Coasting | undefined } {
  const ms = Math.max(0, at - before.at);
  const left = Math.exp(-ms / DECAY_MS);
  const way = DECAY_MS * (1 - left);
  const speed = { x: before.speed.x * left, y: before.speed.y * left };
  return {
    by: { x: before.speed.x * way, y: before.speed.y * way },
    rest: isMoving(speed) ? { ...before, at: before.at + ms, speed } : undefined,
  };
}

function isMoving({ x, y }: Point): boolean {
  return Math.hypot(x, y) >= MIN_SPEED;
}

function clampSpeed(speed: number): number {
  return Math.max(-MAX_SPEED, Math.min(MAX_SPEED, speed));
}
