// Owns the motion of a swipe after the finger lifts: its speed and how it decays. Pure.

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Sample extends Point {
  readonly at: number;
}

export interface Coasting extends Sample {
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
export function findSpeed(trail: readonly Sample[], at: number): Point | undefined {
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
export function coastUntil(
  before: Coasting,
  at: number,
): { by: Point; rest: Coasting | undefined } {
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
