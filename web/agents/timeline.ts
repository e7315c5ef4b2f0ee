// Owns the timeline of agents' actions in this page: pages of the audit log and live entries.
// Bounded; the bridge keeps the log.

import { computed, signal } from "@preact/signals";
import type { AuditEntries, AuditRequest, AuditRow } from "../../protocol/audit.ts";
import type { AgentAction, Filter } from "./audit-actions.ts";
import { toAction, NO_FILTER, foldRepeats, concernsAgents, matches } from "./audit-actions.ts";

/** More than people scroll through; the oldest are dropped first. */
export const MAX_KEPT = 2_000;
const PAGE_SIZE = 100;

export interface KeyedAction extends AgentAction {
  /** A key of this page's own: log entries have none. */
  readonly key: number;
}

/** A line of the timeline: an action and how often it was repeated. */
export interface TimelineLine extends KeyedAction {
  readonly count: number;
}

export class Timeline {
  readonly filter = signal<Filter>(NO_FILTER);
  /** Oldest first. */
  readonly actions = signal<readonly KeyedAction[]>([]);
  /** Cursor for older entries; null if there are none, undefined until the first page. */
  readonly before = signal<string | null | undefined>(undefined);
  readonly isLoading = signal(false);
  /** Entries that came too fast to be sent one by one. */
  readonly skipped = signal(0);
  readonly refusal = signal("");
  readonly shown = computed(() =>
    foldRepeats(this.actions.value.filter((deed) => matches(deed, this.filter.value))),
  );
  /** Display names of the agents that the timeline has. */
  readonly agents = computed(() =>
    [...new Set(this.actions.value.flatMap(({ agent }) => agent ?? []))].toSorted(),
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
    this.isLoading.value = this.#send({ type: "audit:open", limit: PAGE_SIZE });
  }

  close(): void {
    this.#send({ type: "audit:close" });
  }

  loadOlder(): void {
    const before = this.before.peek();
    if (typeof before !== "string" || this.isLoading.peek()) return;
    this.isLoading.value = this.#send({ type: "audit:open", before, limit: PAGE_SIZE });
  }

  onEntries({ entries, before, isOlder }: AuditEntries): void {
    this.isLoading.value = false;
    this.before.value = before;
    const read = entries.filter(concernsAgents).map((entry) => this.#withKey(entry));
    if (!isOlder) this.skipped.value = 0;
    this.actions.value = isOlder ? [...read, ...this.actions.peek()] : read;
  }

  onEntry(entry: AuditRow): void {
    if (!concernsAgents(entry)) return;
    const all = [...this.actions.peek(), this.#withKey(entry)];
    // Dropped entries can be read again only by starting over.
    if (all.length > MAX_KEPT) this.before.value = null;
    this.actions.value = all.slice(-MAX_KEPT);
  }

  onSkipped(count: number): void {
    this.skipped.value += count;
  }

  onError(error: string): void {
    this.isLoading.value = false;
    this.refusal.value = error;
  }

  #withKey(entry: AuditRow): KeyedAction {
    const { grant, label } = entry;
    if (grant && label) this.#labels.set(grant, label);
    return { ...toAction(entry, this.#labels), key: (this.#key += 1) };
  }
}
