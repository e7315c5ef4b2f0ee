// Owns keeping a room's name out of storage until the room is claimed. partyserver stores the name
// of every room that it sees, for alarms; writing and deleting it costs 5 ms and 30 KB on disk, and
// anybody can make up a room's name.

/** partyserver's. */
const NAME = "__ps_name";

/** Puts nothing under that name until `isClaimed`; the next wake does. */
export function leaveUnnamed(storage: DurableObjectStorage, isClaimed: () => boolean): void {
  const put = storage.put.bind(storage);
  const guarded = async (key: string, value: unknown): Promise<void> => {
    if (key !== NAME || isClaimed()) await put(key, value);
  };
  Object.defineProperty(storage, "put", { value: guarded });
}
