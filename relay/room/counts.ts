// Owns how much of each channel came in, where it outlives a sleep: the runtime puts a room to sleep
// without a word, at times with a link that lost its way, and storage is too dear for the data path.
// The isolate's own memory stays as long as the isolate does (workerd 2026: as long as the process).
// Whoever wakes shows the ticket that its link's attachment holds. A ticket serves once, so that a
// room which was awake elsewhere since finds nothing rather than something old.

export interface Count {
  /** Everything before it came in; null when nothing did, or nobody knows. */
  received: number | null;
}

/** By channel. The room writes into it while it is awake. */
export type Counts = Map<number, Count>;

/** Rooms with a link in one isolate; those that woke elsewhere leave theirs behind. */
const MOST_KEPT = 1_000;

const kept = new Map<string, Counts>();

/** Returns the ticket. */
export function keepCounts(counts: Counts): string {
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size >= MOST_KEPT) kept.delete(oldest);
  const ticket = crypto.randomUUID();
  kept.set(ticket, counts);
  return ticket;
}

export function takeCounts(ticket: string | undefined): Counts {
  if (ticket === undefined) return new Map();
  const counts = kept.get(ticket) ?? new Map<number, Count>();
  kept.delete(ticket);
  return counts;
}
