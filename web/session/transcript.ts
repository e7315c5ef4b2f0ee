// Owns one conversation's entries in this page, each a signal of its own, so that a new word
// redraws one entry only. A change that skips a revision is not applied.

import type { ReadonlySignal, Signal } from "@preact/signals";
import { batch, signal } from "@preact/signals";
import type {
  ConversationEntry,
  ConversationOpened,
  ConversationText,
  Entry,
} from "../../protocol/conversation.ts";

/** More than a bridge keeps; bounds a page that stays open for days. */
const MAX_ENTRIES = 4000;

/**
 * "old": already applied. "skipped": a revision is missing, so the conversation must be opened
 * again.
 */
export type ApplyResult = "applied" | "old" | "skipped";

export class Transcript {
  readonly #ids = signal<readonly string[]>([]);
  readonly #isCut = signal(false);
  /** Whether all entries are here: an answer arrived since it was last opened. */
  readonly #isWhole = signal(false);
  readonly #entries = new Map<string, Signal<Entry>>();
  #revision = 0;

  /** Returns the ids, oldest first. */
  get ids(): ReadonlySignal<readonly string[]> {
    return this.#ids;
  }

  get isCut(): ReadonlySignal<boolean> {
    return this.#isCut;
  }

  get isWhole(): ReadonlySignal<boolean> {
    return this.#isWhole;
  }

  entry(id: string): ReadonlySignal<Entry> | undefined {
    return this.#entries.get(id);
  }

  /** Marks the entries as incomplete, since the connection is gone. They stay readable. */
  onAway(): void {
    this.#isWhole.value = false;
  }

  /**
   * Replaces the entries. `latest` is the conversation's newest known revision: a long conversation
   * arrives in pieces, and entries that are here already and will be sent again stay meanwhile.
   */
  onOpened({ conversation, entries, isCut }: ConversationOpened, latest: number): void {
    batch(() => {
      const received = entries.map(({ id }) => id);
      const before = this.#ids.peek();
      const from = before.lastIndexOf(received.at(-1) ?? "") + 1;
      const result = Math.max(0, latest - conversation.revision);
      const ids = new Set([...received, ...before.slice(from, from + result)]);
      for (const id of before) if (!ids.has(id)) this.#entries.delete(id);
      for (const entry of entries) this.#put(entry);
      this.#ids.value = [...ids];
      this.#isCut.value = isCut;
      this.#isWhole.value = true;
      this.#revision = conversation.revision;
    });
  }

  onEntry({ revision, entry }: ConversationEntry): ApplyResult {
    const result = this.#checkRevision(revision);
    if (result === "applied") batch(() => this.#add(entry));
    return result;
  }

  onText({ revision, entry: id, text }: ConversationText): ApplyResult {
    const entry = this.#entries.get(id);
    const before = entry?.peek();
    const isText = before?.kind === "message" || before?.kind === "thought";
    const result = this.#checkRevision(revision);
    if (result !== "applied") return result;
    // Text for an entry that is not here: it was dropped, or came before the conversation was
    // opened.
    if (!entry || !isText) return this.#markIncomplete();
    entry.value = { ...before, text: before.text + text };
    return "applied";
  }

  #checkRevision(revision: number): ApplyResult {
    // Sent before the answer that is under way.
    if (!this.#isWhole.peek() || revision <= this.#revision) return "old";
    if (revision > this.#revision + 1) return this.#markIncomplete();
    this.#revision = revision;
    return "applied";
  }

  #markIncomplete(): ApplyResult {
    this.#isWhole.value = false;
    return "skipped";
  }

  #add(entry: Entry): void {
    const isNew = !this.#entries.has(entry.id);
    this.#put(entry);
    if (!isNew) return;
    const ids = [...this.#ids.peek(), entry.id];
    const dropped = ids.splice(0, Math.max(0, ids.length - MAX_ENTRIES));
    for (const id of dropped) this.#entries.delete(id);
    if (dropped.length > 0) this.#isCut.value = true;
    this.#ids.value = ids;
  }

  /** Sets an entry; an unchanged one is not redrawn. */
  #put(entry: Entry): void {
    const known = this.#entries.get(entry.id);
    if (!known) this.#entries.set(entry.id, signal(entry));
    else if (JSON.stringify(known.peek()) !== JSON.stringify(entry)) known.value = entry;
  }
}
