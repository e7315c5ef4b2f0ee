// Owns the name that a room stores. The runtime gives a room its name only when a request wakes it;
// a room that its alarm wakes reads the stored one. partyserver stores the name of every room that
// it handles, which costs 5 ms and 30 KB on disk. Anyone can make up a room's name, so an unclaimed
// room must store none.

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
