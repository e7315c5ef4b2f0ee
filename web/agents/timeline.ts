// Owns the timeline of agents' actions in this page: pages of the audit log and live entries.
// Bounded; the bridge keeps the log.

import { computed, signal } from "@preact/signals";
import type { AuditEntries, AuditRequest, AuditRow } from "../../protocol/audit.ts";
import type { Deed, Filter } from "./words.ts";
import { deedOf, EVERYTHING, folded, isOfAgents, matches } from "./words.ts";

/** More than people scroll through; the oldest are dropped first. */
export const MOST_KEPT = 2_000;
const PAGE = 100;

export interface Numbered extends Deed {
  /** A key of this page's own: log entries have none. */
  readonly key: number;
}

/** A line of the timeline: an action and how often it was repeated. */
export interface Line extends Numbered {
  readonly count: number;
}

export class Timeline {
  readonly filter = signal<Filter>(EVERYTHING);
  /** Oldest first. */
  readonly deeds = signal<readonly Numbered[]>([]);
  /** Cursor for older entries; null if there are none, undefined until the first page. */
  readonly before = signal<string | null | undefined>(undefined);
  readonly isLoading = signal(false);
  /** Entries that came too fast to be sent one by one. */
  readonly skipped = signal(0);
  readonly refusal = signal("");
  readonly shown = computed(() =>
    folded(this.deeds.value.filter((deed) => matches(deed, this.filter.value))),
  );
  /** Display names of the agents that the timeline has. */
  readonly agents = computed(() =>
    [...new Set(this.deeds.value.flatMap(({ agent }) => agent ?? []))].toSorted(),
  );
  readonly #send: (request: AuditRequest) => boolean;
  readonly #labels = new Map<string, string>();
  #key = 0;

  constructor(send: (request: AuditRequest) => boolean) {
    this.#send = send;
  }

  /** Loads the newest entries, also after a reconnect. */
  open(): void {
    this.refusal.value = "";
    this.isLoading.value = this.#send({ type: "audit:open", limit: PAGE });
  }

  close(): void {
    this.#send({ type: "audit:close" });
  }

  older(): void {
    const before = this.before.peek();
    if (typeof before !== "string" || this.isLoading.peek()) return;
    this.isLoading.value = this.#send({ type: "audit:open", before, limit: PAGE });
  }

  onEntries({ entries, before, isOlder }: AuditEntries): void {
    this.isLoading.value = false;
    this.before.value = before;
    const read = entries.filter(isOfAgents).map((entry) => this.#number(entry));
    if (!isOlder) this.skipped.value = 0;
    this.deeds.value = isOlder ? [...read, ...this.deeds.peek()] : read;
  }

  onEntry(entry: AuditRow): void {
    if (!isOfAgents(entry)) return;
    const all = [...this.deeds.peek(), this.#number(entry)];
    // Dropped entries can be read again only by starting over.
    if (all.length > MOST_KEPT) this.before.value = null;
    this.deeds.value = all.slice(-MOST_KEPT);
  }

  onSkipped(count: number): void {
    this.skipped.value += count;
  }

  onError(error: string): void {
    this.isLoading.value = false;
    this.refusal.value = error;
  }

  #number(entry: AuditRow): Numbered {
    const { grant, label } = entry;
    if (grant && label) this.#labels.set(grant, label);
    return { ...deedOf(entry, this.#labels), key: (this.#key += 1) };
  }
}
