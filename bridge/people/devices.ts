// Owns what the host decided about browsers, by the id that each makes for itself: let in, kept to
// watching, sent away. Kept in the state folder, so that a reload or another bridge changes nothing.
// What gives a browser more is on the disk before it counts, or throws; what takes something away
// counts at once (workspace/durable-file.ts).
// Knows no sockets. An id is a claim: whoever makes up a new one is somebody who was never here.

import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod/mini";
import { GrantId, TokenHash } from "../../protocol/grant.ts";
import { parseText } from "../../protocol/json.ts";
import type { Log } from "../log.ts";
import type { Disk } from "../workspace/durable-file.ts";
import { DurableFile } from "../workspace/durable-file.ts";

/** Links by which one browser was let in. */
const MOST_LINKS = 32;

/** Each is a decision of the host's; of more than so many the oldest are forgotten. */
const MOST_DEVICES = 500;

const Device = z.object({
  /** SHA-256 of the browser's id: the file lets nobody in. */
  hash: TokenHash,
  /** How it was called when that was decided. */
  called: z.string(),
  limit: z.optional(z.literal("view")),
  isAway: z.optional(z.boolean()),
  /** Links that knock, by which the host let it in. */
  admitted: z.array(GrantId),
  /** Unix ms of the last decision about it. */
  at: z.int(),
});
type Device = z.infer<typeof Device>;

const Stored = z.object({ version: z.literal(1), devices: z.array(Device) });

export function devicesFile(stateFolder: string): string {
  return join(stateFolder, "people.json");
}

/** What is kept and told of a browser's id instead of it. */
export function hashOf(device: string): string {
  return createHash("sha256").update(`pairpty device\n${device}`).digest("hex");
}

export type Verdict = Partial<Pick<Device, "limit" | "isAway">>;

export class Devices {
  /** Says whether the last decision is on the disk. */
  readonly file: DurableFile;
  readonly #now: () => number;
  #devices: ReadonlyMap<string, Device> = new Map();

  constructor(
    path: string,
    log: Pick<Log, "error" | "info">,
    now: () => number = Date.now,
    disk?: Disk,
  ) {
    this.file = new DurableFile({ path, what: "people's access", log, now, disk });
    this.#now = now;
    const text = this.file.read();
    const stored = text === undefined ? undefined : parseText(Stored, text);
    if (stored?.ok === true) {
      this.#devices = new Map(stored.value.devices.map((device) => [device.hash, device]));
    } else if (stored !== undefined) {
      log.error(
        `${path} cannot be read (${stored.error}): people whom you let in must knock again, and those whom you limited or removed are not any more`,
      );
    }
  }

  verdictOn(hash: string | undefined): Verdict {
    const { limit, isAway } = (hash === undefined ? undefined : this.#devices.get(hash)) ?? {};
    return { ...(limit === undefined ? {} : { limit }), ...(isAway === true ? { isAway } : {}) };
  }

  /** Somebody is kept to watching or sent away: who has not said who it is may be that one. */
  judgesAnybody(): boolean {
    return [...this.#devices.values()].some(
      ({ limit, isAway }) => limit !== undefined || isAway === true,
    );
  }

  isAdmitted(hash: string | undefined, grantId: string): boolean {
    if (hash === undefined) return false;
    return this.#devices.get(hash)?.admitted.includes(grantId) === true;
  }

  /** Lets a browser in by this link, for good. Throws where that cannot be kept. */
  admit(hash: string, grantId: string, called: string): void {
    const device = this.#of(hash);
    const others = device.admitted.filter((id) => id !== grantId);
    const admitted = [...others, grantId].slice(-MOST_LINKS);
    this.#widen({ ...device, called, admitted, isAway: undefined }, "nobody was let in");
  }

  /** It comes in by none of its links until somebody lets it. */
  sendAway(hash: string, called: string): void {
    this.#narrow({ ...this.#of(hash), called, admitted: [], isAway: true });
  }

  /** It may come, and knock where its link knocks. Throws where that cannot be kept. */
  pardon(hash: string): void {
    this.#widen({ ...this.#of(hash), isAway: undefined }, "they may not come again yet");
  }

  /** Keeps a browser to watching; `undefined` lifts that, and throws where it cannot be kept. */
  limit(hash: string, limit: "view" | undefined, called: string): void {
    const device = { ...this.#of(hash), called, limit };
    if (limit === undefined) this.#widen(device, "they may not type yet");
    else this.#narrow(device);
  }

  /** Those whom somebody sent away, newest last. */
  away(): readonly Pick<Device, "hash" | "called" | "at">[] {
    return [...this.#devices.values()].filter(({ isAway }) => isAway === true);
  }

  #of(hash: string): Device {
    return this.#devices.get(hash) ?? { hash, called: "", admitted: [], at: 0 };
  }

  #widen(device: Device, consequence: string): void {
    const devices = this.#with(device);
    this.file.widen(toText(devices), consequence);
    this.#devices = devices;
  }

  #narrow(device: Device): void {
    this.#devices = this.#with(device);
    this.file.narrow(toText(this.#devices));
  }

  #with(device: Device): ReadonlyMap<string, Device> {
    const devices = new Map(this.#devices);
    devices.delete(device.hash);
    const isWorthIt =
      device.limit !== undefined || device.isAway === true || device.admitted.length > 0;
    if (isWorthIt) devices.set(device.hash, { ...device, at: this.#now() });
    return new Map([...devices].slice(-MOST_DEVICES));
  }
}

function toText(devices: ReadonlyMap<string, Device>): string {
  return `${JSON.stringify({ version: 1, devices: [...devices.values()] }, null, 2)}\n`;
}
