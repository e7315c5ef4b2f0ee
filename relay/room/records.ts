// Owns the room's storage: the claim, the bridge's knock, current and ended grants, the channels'
// state and the farewell when the link was lost, and a counter. The data path never uses it: one
// write costs as much as ten messages. Also owns the name that a room stores.

import { MAX_ROOM_NUMBER } from "../../protocol/limits.ts";
import type { LinkEndedReason } from "../../protocol/codes.ts";
import type { AnnouncedGrant } from "../../protocol/grant.ts";
import type { Farewell } from "../../protocol/link.ts";
import type { AwayFacts } from "./farewell.ts";
import type { ChannelEntry } from "./socket-state.ts";

export interface Claim {
  /** Raw Ed25519 key in hex. */
  readonly publicKey: string;
  readonly claimedAt: number;
}

/** A channel and how much of it was received before the link was lost. */
export interface StoredChannel {
  readonly entry: ChannelEntry;
  readonly received: number | null;
}

export interface StoredAway extends AwayFacts {
  /** Unix ms. */
  readonly since: number;
  readonly channels: readonly StoredChannel[];
}

/** A grant that was valid before, and how it ended. */
export interface EndedGrant {
  readonly id: string;
  readonly hash: string;
  readonly how: LinkEndedReason;
}

/** Returns the part of the state that peers get. */
export function withoutChannels(
  away: StoredAway | undefined,
): AwayFacts & { readonly since?: number } {
  const { channels: _channels, ...facts } = away ?? { channels: [] };
  return facts;
}

const CLAIM = "claim";
const GRANTS = "grants";
const AWAY = "away";
const OVERFLOW_CHANNELS = "channels";
const NEXT_NUMBER = "next-number";
const KNOCK = "knock";
const FAREWELL = "farewell";
const GONE = "gone";

/** Numbers are reserved in blocks, so that most of them need no write. */
const NUMBER_BLOCK = 64;

export class Records {
  readonly #storage: DurableObjectStorage;
  #next = 0;
  #reserved = 0;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  get isEmpty(): boolean {
    for (const _any of this.#storage.kv.list({ limit: 1 })) return false;
    return true;
  }

  get claim(): Claim | undefined {
    return this.#storage.kv.get<Claim>(CLAIM);
  }

  set claim(claim: Claim) {
    this.#storage.kv.put(CLAIM, claim);
  }

  /** Returns the secret of the last accepted bridge, by which the room recognises it. */
  get knock(): string | undefined {
    return this.#storage.kv.get<string>(KNOCK);
  }

  set knock(knock: string) {
    this.#storage.kv.put(KNOCK, knock);
  }

  get grants(): readonly AnnouncedGrant[] {
    return this.#storage.kv.get<AnnouncedGrant[]>(GRANTS) ?? [];
  }

  set grants(grants: readonly AnnouncedGrant[]) {
    this.#storage.kv.put(GRANTS, grants);
  }

  /** Returns grants that ended recently, to explain to returning clients why they are refused. */
  get endedGrants(): readonly EndedGrant[] {
    return this.#storage.kv.get<EndedGrant[]>(GONE) ?? [];
  }

  set endedGrants(gone: readonly EndedGrant[]) {
    this.#storage.kv.put(GONE, gone);
  }

  /** Returns the farewell of the current or last bridge. */
  get farewell(): Farewell | undefined {
    return this.#storage.kv.get<Farewell>(FAREWELL);
  }

  set farewell(farewell: Farewell | undefined) {
    if (farewell === undefined) this.#storage.kv.delete(FAREWELL);
    else this.#storage.kv.put(FAREWELL, farewell);
  }

  get away(): StoredAway | undefined {
    return this.#storage.kv.get<StoredAway>(AWAY);
  }

  /**
   * Stores the state of a lost link. Undefined while a bridge is connected, since it would be
   * outdated later.
   */
  set away(away: StoredAway | undefined) {
    if (away === undefined) this.#storage.kv.delete(AWAY);
    else this.#storage.kv.put(AWAY, away);
  }

  /** Returns the channels that did not fit into the link's attachment. */
  get overflowChannels(): readonly ChannelEntry[] {
    return this.#storage.kv.get<ChannelEntry[]>(OVERFLOW_CHANNELS) ?? [];
  }

  set overflowChannels(entries: readonly ChannelEntry[]) {
    if (entries.length > 0) this.#storage.kv.put(OVERFLOW_CHANNELS, entries);
    else if (this.overflowChannels.length > 0) this.#storage.kv.delete(OVERFLOW_CHANNELS);
  }

  /**
   * Returns a number for a peer or a stream. Never reused, even after hibernation: frames for its
   * previous owner may still be under way.
   */
  nextNumber(): number {
    if (this.#next === this.#reserved) {
      const stored = this.#storage.kv.get<number>(NEXT_NUMBER) ?? 1;
      this.#next = stored + NUMBER_BLOCK > MAX_ROOM_NUMBER ? 1 : stored;
      this.#reserved = this.#next + NUMBER_BLOCK;
      this.#storage.kv.put(NEXT_NUMBER, this.#reserved);
    }
    return this.#next++;
  }
}

// The runtime gives a room its name only when a request wakes it; a room that its alarm wakes reads
// the stored one. partyserver stores the name of every room that it handles, which costs 5 ms and
// 30 KB on disk. Anyone can make up a room's name, so an unclaimed room must store none.

/** The key that partyserver uses. */
const NAME = "__ps_name";

/** Drops partyserver's writes of the name until `isClaimed` returns true. */
export function dropUnclaimedNames(storage: DurableObjectStorage, isClaimed: () => boolean): void {
  const put = storage.put.bind(storage);
  const guarded = async (key: string, value: unknown): Promise<void> => {
    if (key !== NAME || isClaimed()) await put(key, value);
  };
  Object.defineProperty(storage, "put", { value: guarded });
}

export function readName({ kv }: DurableObjectStorage): string | undefined {
  return kv.get<string>(NAME);
}

/** Stores the name once: partyserver reads it only when the room wakes. */
export function storeName(storage: DurableObjectStorage, name: string): void {
  if (readName(storage) !== name) storage.kv.put(NAME, name);
}
