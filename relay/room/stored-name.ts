// Owns the name that a room stores. A room that its alarm wakes first has no other way to its name:
// the runtime gives names to rooms that a request wakes. partyserver reads the stored name before an
// alarm, and stores the name of every room that it sees; that costs 5 ms and 30 KB on disk, and
// anybody can make up a room's name, so an unclaimed room stores none.

/** partyserver's key. */
const NAME = "__ps_name";

/** Drops what partyserver puts under its key until `isClaimed`. */
export function leaveUnnamed(storage: DurableObjectStorage, isClaimed: () => boolean): void {
  const put = storage.put.bind(storage);
  const guarded = async (key: string, value: unknown): Promise<void> => {
    if (key !== NAME || isClaimed()) await put(key, value);
  };
  Object.defineProperty(storage, "put", { value: guarded });
}

export function readName({ kv }: DurableObjectStorage): string | undefined {
  return kv.get<string>(NAME);
}

/** Stores the name, once: partyserver looks at it only when the room wakes. */
export function storeName(storage: DurableObjectStorage, name: string): void {
  if (readName(storage) !== name) storage.kv.put(NAME, name);
}
