// Owns the driver and the size of a terminal. The driver's window decides the size, and typing
// makes a driver, once: two people who type in turn share the size that fits both, so that programs
// are not resized with every key. A pinned size overrides all. Watchers, hidden viewers, joining
// viewers and changed windows of others never resize. Pure.

/** A person who typed within this time still counts: a conversation has pauses. */
export const RECENT_TYPING_MS = 60_000;

/** Precision of `typedAt`: a new state per keystroke would cost more. */
const TYPED_EVERY_MS = 1_000;

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

export interface Viewer {
  readonly mayDrive: boolean;
  readonly visible: boolean;
  /** The size of its window, once reported. */
  readonly size: Size | undefined;
  /** Time of its last input, by the caller's clock in ms. */
  readonly typedAt?: number | undefined;
}

export interface SizeState {
  readonly driver: number | undefined;
  readonly viewers: ReadonlyMap<number, Viewer>;
  readonly size: Size;
  /** Viewers that determine the size: one, or those who type in turn; empty if none of them set it. */
  readonly sizingViewers: readonly number[];
  /** The size that a person pinned. */
  readonly pinned?: Size | undefined;
}

export function createSizeState(size: Size, fixed?: Size): SizeState {
  const viewers = new Map<number, Viewer>();
  return { driver: undefined, viewers, size: fixed ?? size, sizingViewers: [], pinned: fixed };
}

/** Pins the size; `undefined` unpins. */
export function pinSize(state: SizeState, size: Size | undefined): SizeState {
  if (size === undefined) return { ...state, pinned: undefined };
  return {
    ...state,
    pinned: size,
    size: isSameSize(state.size, size) ? state.size : size,
    sizingViewers: [],
  };
}

export function addViewer(state: SizeState, peer: number, mayDrive: boolean): SizeState {
  const viewer = { mayDrive, visible: true, size: undefined };
  return { ...state, viewers: new Map(state.viewers).set(peer, viewer) };
}

export function removeViewer(state: SizeState, peer: number): SizeState {
  const viewers = new Map(state.viewers);
  viewers.delete(peer);
  const sizingViewers = state.sizingViewers.filter((one) => one !== peer);
  return {
    ...state,
    viewers,
    sizingViewers,
    driver: state.driver === peer ? undefined : state.driver,
  };
}

/** Gives or revokes the right to drive; a driver without it is no longer one. */
export function setMayDrive(state: SizeState, peer: number, mayDrive: boolean): SizeState {
  const viewer = state.viewers.get(peer);
  if (viewer === undefined || viewer.mayDrive === mayDrive) return state;
  const viewers = new Map(state.viewers).set(peer, { ...viewer, mayDrive });
  const isVacated = !mayDrive && state.driver === peer;
  return { ...state, viewers, driver: isVacated ? undefined : state.driver };
}

/** Stores a viewer's window size and whether it is visible. */
export function setView(state: SizeState, peer: number, size: Size, visible: boolean): SizeState {
  const before = state.viewers.get(peer);
  if (before === undefined) return state;
  const viewer = { ...before, size, visible };
  const after = { ...state, viewers: new Map(state.viewers).set(peer, viewer) };
  // If several share the size, each affects what fits.
  if (state.sizingViewers.length > 1 && state.sizingViewers.includes(peer)) {
    return visible ? fitSizes(after, state.sizingViewers) : after;
  }
  // A page also resizes on its own, such as when a line above it disappears: only the driver's
  // resize counts.
  return state.driver === peer ? applyViewerSize(after, peer) : after;
}

/** Handles an explicit size request of a plain client. */
export function requestSize(state: SizeState, peer: number, size: Size): SizeState {
  const before = state.viewers.get(peer);
  if (before === undefined) {
    return isSizeFree(state) && state.pinned === undefined
      ? { ...state, size, sizingViewers: [] }
      : state;
  }
  const viewer = { ...before, size, visible: true };
  const after = { ...state, viewers: new Map(state.viewers).set(peer, viewer) };
  return state.driver === peer || isSizeFree(after) ? applyViewerSize(after, peer) : after;
}

/** Makes a viewer the driver by takeover or handover; only its size counts then. */
export function setDriver(state: SizeState, peer: number): SizeState {
  const viewer = state.viewers.get(peer);
  if (viewer?.mayDrive !== true) return state;
  const isAlone = state.sizingViewers.length <= 1;
  const isSettled = viewer.size === undefined || isSameSize(viewer.size, state.size);
  if (state.driver === peer && viewer.visible && isSettled && isAlone) return state;
  // A driver sees the terminal, whatever it reported before.
  const viewers = new Map<number, Viewer>();
  for (const [number, one] of state.viewers) viewers.set(number, { ...one, typedAt: undefined });
  viewers.set(peer, { ...viewer, visible: true, typedAt: undefined });
  return applyViewerSize({ ...state, driver: peer, viewers }, peer);
}

/** Records input of a viewer. Hot path (every keystroke): usually returns early. */
export function recordTyping(state: SizeState, peer: number, now: number): SizeState {
  const viewer = state.viewers.get(peer);
  if (viewer?.mayDrive !== true) return state;
  const isDriver = state.driver === peer;
  const isRecent = viewer.typedAt !== undefined && now - viewer.typedAt < RECENT_TYPING_MS;
  const isNoted = viewer.typedAt !== undefined && now - viewer.typedAt < TYPED_EVERY_MS;
  if (isDriver && isNoted && viewer.visible && !wantsOtherSize(state, viewer)) return state;
  const viewers = new Map(state.viewers).set(peer, { ...viewer, visible: true, typedAt: now });
  const after = { ...state, driver: peer, viewers };
  const recentTypists = listRecentTypists(after, peer, now);
  // The first takeover applies its size; when the other types again, the size fits both.
  const isShared = state.sizingViewers.length > 1 || (!isDriver && isRecent);
  return recentTypists.length > 0 && isShared
    ? fitSizes(after, [peer, ...recentTypists])
    : applyViewerSize(after, peer);
}

function wantsOtherSize(
  { size, sizingViewers, pinned: fixed }: SizeState,
  viewer: Viewer,
): boolean {
  if (fixed !== undefined || sizingViewers.length > 1 || viewer.size === undefined) return false;
  return !isSameSize(viewer.size, size);
}

/** Returns other viewers that typed recently and are visible. */
function listRecentTypists({ viewers }: SizeState, peer: number, now: number): number[] {
  return [...viewers].flatMap(([number, { mayDrive, visible, size, typedAt }]) => {
    const isRecent = typedAt !== undefined && now - typedAt < RECENT_TYPING_MS;
    const counts = mayDrive && visible && size !== undefined && isRecent && number !== peer;
    return counts ? number : [];
  });
}

/** Applies the size that fits all of these viewers. */
function fitSizes(state: SizeState, peers: readonly number[]): SizeState {
  const sizes = peers.flatMap((peer) => state.viewers.get(peer)?.size ?? []);
  if (state.pinned !== undefined || sizes.length === 0) return state;
  const size = {
    cols: Math.min(...sizes.map(({ cols }) => cols)),
    rows: Math.min(...sizes.map(({ rows }) => rows)),
  };
  const sizingViewers = isSameSet(state.sizingViewers, peers) ? state.sizingViewers : [...peers];
  return {
    ...state,
    sizingViewers,
    size: isSameSize(state.size, size) ? state.size : size,
  };
}

/** Whether no visible driver would be disturbed by a resize. */
function isSizeFree({ driver, viewers }: SizeState): boolean {
  return driver === undefined || viewers.get(driver)?.visible !== true;
}

function applyViewerSize(state: SizeState, peer: number): SizeState {
  const viewer = state.viewers.get(peer);
  if (state.pinned !== undefined || viewer?.size === undefined) return state;
  if (!viewer.mayDrive || !viewer.visible) return state;
  const sizingViewers = isSameSet(state.sizingViewers, [peer]) ? state.sizingViewers : [peer];
  return {
    ...state,
    sizingViewers,
    size: isSameSize(state.size, viewer.size) ? state.size : viewer.size,
  };
}

function isSameSet(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}

function isSameSize(a: Size, b: Size): boolean {
  return a.cols === b.cols && a.rows === b.rows;
}
