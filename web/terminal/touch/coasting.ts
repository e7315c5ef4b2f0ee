// Owns how a swipe goes on when the finger has left: how fast it was, and how that wears off. Pure.

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

/** How long back a finger's speed is taken from. */
const TRAIL_MS = 100;

/** A finger that rested this long before it left meant to stop. */
const REST_MS = 50;

/** Slower than this nobody sees it move, px/ms. */
const LEAST_SPEED = 0.03;

/** A flick of a few lines is not thrown through the whole scrollback, px/ms. */
const MOST_SPEED = 5;

/** How long until about two thirds of the speed are gone: as phones have it. */
const FADING_MS = 325;

/** Undefined where the finger had stopped. */
export function speedOf(trail: readonly Sample[], at: number): Point | undefined {
  const last = trail.at(-1);
  const since = trail.findIndex((one) => at - one.at <= TRAIL_MS);
  // A slow browser tells of few places: the one before is better than none.
  const first = trail[Math.max(0, since - 1)];
  if (!last || !first || at - last.at > REST_MS) return undefined;
  const ms = last.at - first.at;
  if (ms <= 0) return undefined;
  const speed = { x: bounded((last.x - first.x) / ms), y: bounded((last.y - first.y) / ms) };
  return isMoving(speed) ? speed : undefined;
}

/** How far it came since, and what is left of it. */
export function coasted(before: Coasting, at: number): { by: Point; rest: Coasting | undefined } {
  const ms = Math.max(0, at - before.at);
  const left = Math.exp(-ms / FADING_MS);
  const way = FADING_MS * (1 - left);
  const speed = { x: before.speed.x * left, y: before.speed.y * left };
  return {
    by: { x: before.speed.x * way, y: before.speed.y * way },
    rest: isMoving(speed) ? { ...before, at: before.at + ms, speed } : undefined,
  };
}

function isMoving({ x, y }: Point): boolean {
  return Math.hypot(x, y) >= LEAST_SPEED;
}

function bounded(speed: number): number {
  return Math.max(-MOST_SPEED, Math.min(MOST_SPEED, speed));
}
