// Owns that a room leaves no name in storage before it is claimed. partyserver puts the name of every
// room that it sees there, for alarms; to write and to delete it again costs 5 ms and 30 KB on disk,
// and anybody can think of a room.

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
