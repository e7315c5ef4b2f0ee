// Owns the received counts of channels while a room hibernates. The runtime gives no notice before
// it puts a room to sleep, and storage is too expensive for the data path, so they live in the
// isolate's memory (workerd 2026: as long as the process). A room that wakes presents the ticket
// from its link's attachment. Each ticket works once, so a room that was awake elsewhere meanwhile
// finds nothing instead of stale counts.

export interface ReceivedCount {
  /** The offset up to which output was received; null when there was none or it is unknown. */
  received: number | null;
}

/** Counts by channel. The room updates them while it is awake. */
export type ReceivedCounts = Map<number, ReceivedCount>;

/** Rooms with a link in one isolate; rooms that woke elsewhere leave their counts behind. */
const MAX_KEPT = 1_000;

const countsByTicket = new Map<string, ReceivedCounts>();

/** Stores the counts and returns the ticket for them. */
export function storeCounts(counts: ReceivedCounts): string {
  const [oldest] = countsByTicket.keys();
  if (oldest !== undefined && countsByTicket.size >= MAX_KEPT) countsByTicket.delete(oldest);
  const ticket = crypto.randomUUID();
  countsByTicket.set(ticket, counts);
  return ticket;
}

export function takeCounts(ticket: string | undefined): ReceivedCounts {
  if (ticket === undefined) return new Map();
  const counts = countsByTicket.get(ticket) ?? new Map<number, ReceivedCount>();
  countsByTicket.delete(ticket);
  return counts;
}
