// Owns the driver and the size of a terminal. The driver's window decides the size, and typing
// makes a driver, once: two people who type in turn share the size that fits both, so that programs
// are not resized with every key. A pinned size overrides all. Watchers, hidden viewers, joining
// viewers and changed windows of others never resize. Pure.

/** A person who typed within this time still counts: a conversation has pauses. */
export const TURNS_MS = 60_000;

/** Precision of `typedAt`: a new state per keystroke would cost more. */
const TYPED_EVERY_MS = 1_000;

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

export interface Seat {
  readonly mayDrive: boolean;
  readonly visible: boolean;
  /** Its window's size, once reported. */
  readonly size: Size | undefined;
  /** Time of its last input, by the caller's clock in ms. */
  readonly typedAt?: number | undefined;
}

export interface Stage {
  readonly driver: number | undefined;
  readonly seats: ReadonlyMap<number, Seat>;
  readonly size: Size;
  /**
   * Viewers that the size is based on: one, or those who type in turn; empty if none of them set
   * it.
   */
  readonly sizers: readonly number[];
  /** The size that a person pinned. */
  readonly pinned?: Size | undefined;
}

export function emptyStage(size: Size, fixed?: Size): Stage {
  const seats = new Map<number, Seat>();
  return { driver: undefined, seats, size: fixed ?? size, sizers: [], pinned: fixed };
}

/** Pins the size; `undefined` unpins. */
export function pinned(stage: Stage, size: Size | undefined): Stage {
  if (size === undefined) return { ...stage, pinned: undefined };
  return { ...stage, pinned: size, size: same(stage.size, size) ? stage.size : size, sizers: [] };
}

export function sat(stage: Stage, peer: number, mayDrive: boolean): Stage {
  const seat = { mayDrive, visible: true, size: undefined };
  return { ...stage, seats: new Map(stage.seats).set(peer, seat) };
}

export function left(stage: Stage, peer: number): Stage {
  const seats = new Map(stage.seats);
  seats.delete(peer);
  const sizers = stage.sizers.filter((one) => one !== peer);
  return { ...stage, seats, sizers, driver: stage.driver === peer ? undefined : stage.driver };
}

/** Gives or revokes the right to drive; a driver without it is no longer one. */
export function entitled(stage: Stage, peer: number, mayDrive: boolean): Stage {
  const seat = stage.seats.get(peer);
  if (seat === undefined || seat.mayDrive === mayDrive) return stage;
  const seats = new Map(stage.seats).set(peer, { ...seat, mayDrive });
  const isVacated = !mayDrive && stage.driver === peer;
  return { ...stage, seats, driver: isVacated ? undefined : stage.driver };
}

/** Stores a viewer's window size and whether it is visible. */
export function viewed(stage: Stage, peer: number, size: Size, visible: boolean): Stage {
  const before = stage.seats.get(peer);
  if (before === undefined) return stage;
  const seat = { ...before, size, visible };
  const after = { ...stage, seats: new Map(stage.seats).set(peer, seat) };
  // If several share the size, each affects what fits.
  if (stage.sizers.length > 1 && stage.sizers.includes(peer)) {
    return visible ? fitted(after, stage.sizers) : after;
  }
  // A page also resizes on its own, such as when a line above it disappears: only the driver's
  // counts.
  return stage.driver === peer ? sizedBy(after, peer) : after;
}

/** Handles an explicit size request of a plain client. */
export function resized(stage: Stage, peer: number, size: Size): Stage {
  const before = stage.seats.get(peer);
  if (before === undefined) {
    return isFree(stage) && stage.pinned === undefined ? { ...stage, size, sizers: [] } : stage;
  }
  const seat = { ...before, size, visible: true };
  const after = { ...stage, seats: new Map(stage.seats).set(peer, seat) };
  return stage.driver === peer || isFree(after) ? sizedBy(after, peer) : after;
}

/** Makes a viewer the driver by takeover or handover; its size counts alone. */
export function drove(stage: Stage, peer: number): Stage {
  const seat = stage.seats.get(peer);
  if (seat?.mayDrive !== true) return stage;
  const isAlone = stage.sizers.length <= 1;
  const isSettled = seat.size === undefined || same(seat.size, stage.size);
  if (stage.driver === peer && seat.visible && isSettled && isAlone) return stage;
  // A driver sees the terminal, whatever it reported before.
  const seats = new Map<number, Seat>();
  for (const [number, one] of stage.seats) seats.set(number, { ...one, typedAt: undefined });
  seats.set(peer, { ...seat, visible: true, typedAt: undefined });
  return sizedBy({ ...stage, driver: peer, seats }, peer);
}

/** Records input of a viewer. Hot path (every keystroke): usually returns early. */
export function typed(stage: Stage, peer: number, now: number): Stage {
  const seat = stage.seats.get(peer);
  if (seat?.mayDrive !== true) return stage;
  const isDriver = stage.driver === peer;
  const isRecent = seat.typedAt !== undefined && now - seat.typedAt < TURNS_MS;
  const isNoted = seat.typedAt !== undefined && now - seat.typedAt < TYPED_EVERY_MS;
  if (isDriver && isNoted && seat.visible && !wantsOther(stage, seat)) return stage;
  const seats = new Map(stage.seats).set(peer, { ...seat, visible: true, typedAt: now });
  const after = { ...stage, driver: peer, seats };
  const rivals = rivalsOf(after, peer, now);
  // The first takeover applies its size; when the other types again, the size fits both.
  const isShared = stage.sizers.length > 1 || (!isDriver && isRecent);
  return rivals.length > 0 && isShared ? fitted(after, [peer, ...rivals]) : sizedBy(after, peer);
}

function wantsOther({ size, sizers, pinned: fixed }: Stage, seat: Seat): boolean {
  if (fixed !== undefined || sizers.length > 1 || seat.size === undefined) return false;
  return !same(seat.size, size);
}

/** Returns other viewers that typed recently and are visible. */
function rivalsOf({ seats }: Stage, peer: number, now: number): number[] {
  return [...seats].flatMap(([number, { mayDrive, visible, size, typedAt }]) => {
    const isRecent = typedAt !== undefined && now - typedAt < TURNS_MS;
    const counts = mayDrive && visible && size !== undefined && isRecent && number !== peer;
    return counts ? number : [];
  });
}

/** Applies the size that fits all of these viewers. */
function fitted(stage: Stage, peers: readonly number[]): Stage {
  const sizes = peers.flatMap((peer) => stage.seats.get(peer)?.size ?? []);
  if (stage.pinned !== undefined || sizes.length === 0) return stage;
  const size = {
    cols: Math.min(...sizes.map(({ cols }) => cols)),
    rows: Math.min(...sizes.map(({ rows }) => rows)),
  };
  const sizers = isSameSet(stage.sizers, peers) ? stage.sizers : [...peers];
  return { ...stage, sizers, size: same(stage.size, size) ? stage.size : size };
}

/** Whether no visible driver would be disturbed by a resize. */
function isFree({ driver, seats }: Stage): boolean {
  return driver === undefined || seats.get(driver)?.visible !== true;
}

function sizedBy(stage: Stage, peer: number): Stage {
  const seat = stage.seats.get(peer);
  if (stage.pinned !== undefined || seat?.size === undefined) return stage;
  if (!seat.mayDrive || !seat.visible) return stage;
  const sizers = isSameSet(stage.sizers, [peer]) ? stage.sizers : [peer];
  return { ...stage, sizers, size: same(stage.size, seat.size) ? stage.size : seat.size };
}

function isSameSet(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}

function same(a: Size, b: Size): boolean {
  return a.cols === b.cols && a.rows === b.rows;
}
