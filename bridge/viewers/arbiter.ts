// Owns who drives a terminal and how big it is. The driver's size counts; typing claims it. Whoever
// only looks on, or cannot be seen, never sizes anything, and coming back does not either. Pure.

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

export interface Seat {
  readonly mayDrive: boolean;
  readonly visible: boolean;
  /** What it has room for, once it has said so. */
  readonly size: Size | undefined;
}

export interface Stage {
  readonly driver: number | undefined;
  readonly seats: ReadonlyMap<number, Seat>;
  readonly size: Size;
}

export function emptyStage(size: Size): Stage {
  return { driver: undefined, seats: new Map(), size };
}

export function sat(stage: Stage, peer: number, mayDrive: boolean): Stage {
  const seat = { mayDrive, visible: true, size: undefined };
  return { ...stage, seats: new Map(stage.seats).set(peer, seat) };
}

export function left(stage: Stage, peer: number): Stage {
  const seats = new Map(stage.seats);
  seats.delete(peer);
  return { ...stage, seats, driver: stage.driver === peer ? undefined : stage.driver };
}

/** It may drive from now on, or no longer: then nobody does where it did. */
export function entitled(stage: Stage, peer: number, mayDrive: boolean): Stage {
  const seat = stage.seats.get(peer);
  if (seat === undefined || seat.mayDrive === mayDrive) return stage;
  const seats = new Map(stage.seats).set(peer, { ...seat, mayDrive });
  const isVacated = !mayDrive && stage.driver === peer;
  return { ...stage, seats, driver: isVacated ? undefined : stage.driver };
}

/** A viewer says what it has room for, and whether it can be seen. */
export function viewed(stage: Stage, peer: number, size: Size, visible: boolean): Stage {
  const before = stage.seats.get(peer);
  if (before === undefined) return stage;
  const seat = { ...before, size, visible };
  const after = { ...stage, seats: new Map(stage.seats).set(peer, seat) };
  if (stage.driver === peer) return sizedBy(after, seat);
  // The first word after coming says where it is, not what it wants.
  const changed = before.size !== undefined && !same(before.size, size);
  return changed && isFree(after) ? sizedBy(after, seat) : after;
}

/** A plain client asks for a size outright. */
export function resized(stage: Stage, peer: number, size: Size): Stage {
  const before = stage.seats.get(peer);
  if (before === undefined) return isFree(stage) ? { ...stage, size } : stage;
  const seat = { ...before, size, visible: true };
  const after = { ...stage, seats: new Map(stage.seats).set(peer, seat) };
  return stage.driver === peer || isFree(after) ? sizedBy(after, seat) : after;
}

/** It typed, took over or was handed the wheel. */
export function drove(stage: Stage, peer: number): Stage {
  const seat = stage.seats.get(peer);
  if (seat?.mayDrive !== true) return stage;
  // Said with every key: nothing new is the usual case.
  const isSettled = seat.size === undefined || same(seat.size, stage.size);
  if (stage.driver === peer && seat.visible && isSettled) return stage;
  // Whoever types looks at it, whatever was said before.
  const awake = { ...seat, visible: true };
  const seats = new Map(stage.seats).set(peer, awake);
  return sizedBy({ ...stage, driver: peer, seats }, awake);
}

/** Nobody drives whom a change of size would disturb. */
function isFree({ driver, seats }: Stage): boolean {
  return driver === undefined || seats.get(driver)?.visible !== true;
}

function sizedBy(stage: Stage, seat: Seat): Stage {
  if (!seat.mayDrive || !seat.visible || seat.size === undefined) return stage;
  return same(stage.size, seat.size) ? stage : { ...stage, size: seat.size };
}

function same(a: Size, b: Size): boolean {
  return a.cols === b.cols && a.rows === b.rows;
}
