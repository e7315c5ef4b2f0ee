// Owns conversations for tests of the page: one as a bridge tells it, and a stand-in for its bridge
// that counts revisions and answers `open`.

import type { Conversation, Entry } from "../../protocol/conversation.ts";
import type { FakePeer } from "./fake-room.ts";

export function conversation(part: Partial<Conversation> = {}): Conversation {
  return {
    id: "c1",
    agent: { grant: "g1", label: "claude", name: "claude-code", version: "1.2.3" },
    via: "stdio",
    title: "",
    cwd: "/home/ana/project",
    state: "idle",
    isolation: "none",
    commands: [],
    startedAt: 1,
    revision: 0,
    ...part,
  };
}

export class FakeConversation {
  readonly #peer: FakePeer;
  #now: Conversation;
  readonly entries: Entry[] = [];
  isCut = false;

  constructor(peer: FakePeer, part: Partial<Conversation> = {}) {
    this.#peer = peer;
    this.#now = conversation(part);
  }

  /** The same, as another socket is told of it. */
  at(peer: FakePeer): FakeConversation {
    const other = new FakeConversation(peer, this.#now);
    other.entries.push(...this.entries);
    return other;
  }

  get id(): string {
    return this.#now.id;
  }

  list(): void {
    this.#peer.say({ type: "conversation:list", conversations: [this.#now] });
  }

  /** Once the page has asked for the `times`th time. */
  async opened(times = 1): Promise<void> {
    await this.#peer.until(`conversation:open, ${times} times`, () => {
      const asked = this.#peer.requests.filter((one) => one.type === "conversation:open");
      return asked.filter(({ id }) => id === this.id).length >= times;
    });
    this.#peer.say({
      type: "conversation:opened",
      conversation: this.#now,
      entries: this.entries,
      isCut: this.isCut,
    });
  }

  change(part: Partial<Conversation>): void {
    this.#now = { ...this.#now, ...part };
    this.#peer.say({ type: "conversation:changed", conversation: this.#now });
  }

  say(...entries: Entry[]): void {
    for (const entry of entries) {
      this.put(entry);
      const { id, revision } = this.#now;
      this.#peer.say({ type: "conversation:entry", id, revision, entry });
    }
  }

  /** It changes, and nobody is told. */
  put(entry: Entry): void {
    const at = this.entries.findIndex(({ id }) => id === entry.id);
    this.entries.splice(at === -1 ? this.entries.length : at, at === -1 ? 0 : 1, entry);
    this.#now = { ...this.#now, revision: this.#now.revision + 1 };
  }

  text(entry: string, text: string): void {
    const found = this.entries.find(({ id }) => id === entry);
    if (found?.kind !== "message" && found?.kind !== "thought") throw new Error("no such text");
    this.put({ ...found, text: found.text + text });
    const { id, revision } = this.#now;
    this.#peer.say({ type: "conversation:text", id, revision, entry, text });
  }

  refuse(error: string): void {
    this.#peer.say({ type: "conversation:error", id: this.id, code: "bad_request", error });
  }
}
