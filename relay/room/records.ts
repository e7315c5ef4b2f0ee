// Owns what the room keeps in storage: the claim, the bridge's knock, the grants and those that have
// ended, where the channels stood and what the bridge said when the link was lost, and a counter.
// Never touched by the data path: one write costs ten messages.

import type { GoneHow } from "../../protocol/codes.ts";
import type { GrantTold } from "../../protocol/grant.ts";
import type { Farewell } from "../../protocol/link.ts";
import type { AwayFacts } from "./farewell.ts";
import type { ChannelEntry } from "./attachment.ts";

export interface Claim {
  /** Raw Ed25519 key in hex. */
  readonly publicKey: string;
  readonly claimedAt: number;
}

/** A channel and how much of it came before the link was lost. */
export interface StoredChannel {
  readonly entry: ChannelEntry;
  readonly received: number | null;
}

export interface Away extends AwayFacts {
  /** Unix ms. */
  readonly since: number;
  readonly channels: readonly StoredChannel[];
}

/** A grant that was here, and how it went. */
export interface GoneGrant {
  readonly id: string;
  readonly hash: string;
  readonly how: GoneHow;
}

/** What peers are told of it. */
export function toldOf(away: Away | undefined): AwayFacts & { readonly since?: number } {
  const { channels: _channels, ...told } = away ?? { channels: [] };
  return told;
}

const CLAIM = "claim";
const GRANTS = "grants";
const AWAY = "away";
const BEYOND = "channels";
const NEXT_NUMBER = "next-number";
const KNOCK = "knock";
const FAREWELL = "farewell";
const GONE = "gone";

/** Numbers are reserved in blocks, so that most of them cost no write. */
const NUMBER_BLOCK = 64;
const MAX_NUMBER = 0xffff_ffff;

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

  /** What the bridge said that was last accepted, and nobody else can know. */
  get knock(): string | undefined {
    return this.#storage.kv.get<string>(KNOCK);
  }

  set knock(knock: string) {
    this.#storage.kv.put(KNOCK, knock);
  }

  get grants(): readonly GrantTold[] {
    return this.#storage.kv.get<GrantTold[]>(GRANTS) ?? [];
  }

  set grants(grants: readonly GrantTold[]) {
    this.#storage.kv.put(GRANTS, grants);
  }

  /** Those that were let in until lately: whoever comes back by one is told why not. */
  get gone(): readonly GoneGrant[] {
    return this.#storage.kv.get<GoneGrant[]>(GONE) ?? [];
  }

  set gone(gone: readonly GoneGrant[]) {
    this.#storage.kv.put(GONE, gone);
  }

  /** What the bridge that is, or was, here said of its end. */
  get farewell(): Farewell | undefined {
    return this.#storage.kv.get<Farewell>(FAREWELL);
  }

  set farewell(farewell: Farewell | undefined) {
    if (farewell === undefined) this.#storage.kv.delete(FAREWELL);
    else this.#storage.kv.put(FAREWELL, farewell);
  }

  get away(): Away | undefined {
    return this.#storage.kv.get<Away>(AWAY);
  }

  /** Undefined while a bridge is here: what was true then must not be believed later. */
  set away(away: Away | undefined) {
    if (away === undefined) this.#storage.kv.delete(AWAY);
    else this.#storage.kv.put(AWAY, away);
  }

  /** Channels that the link's attachment had no room for. */
  get channelsBeyond(): readonly ChannelEntry[] {
    return this.#storage.kv.get<ChannelEntry[]>(BEYOND) ?? [];
  }

  set channelsBeyond(entries: readonly ChannelEntry[]) {
    if (entries.length > 0) this.#storage.kv.put(BEYOND, entries);
    else if (this.channelsBeyond.length > 0) this.#storage.kv.delete(BEYOND);
  }

  /**
   * For peers and streams. Never given twice, even across a sleep: frames for the one that had it
   * before may still be under way.
   */
  nextNumber(): number {
    if (this.#next === this.#reserved) {
      const stored = this.#storage.kv.get<number>(NEXT_NUMBER) ?? 1;
      this.#next = stored + NUMBER_BLOCK > MAX_NUMBER ? 1 : stored;
      this.#reserved = this.#next + NUMBER_BLOCK;
      this.#storage.kv.put(NEXT_NUMBER, this.#reserved);
    }
    return this.#next++;
  }
}
