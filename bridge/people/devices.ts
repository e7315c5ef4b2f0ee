// Owns the host's decisions about browsers, by the id that each page makes: let in, limited to
// watching, removed. Stored in the state folder, so they outlast a reload and the bridge. A change
// that gives a browser more is on disk before it applies, or throws; one that takes something away
// applies immediately (workspace/durable-file.ts). Does not know sockets. An id is unproven: a
// client with a new id is treated as a new browser.

import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod/mini";
import { GrantId, TokenHash } from "../../protocol/grant.ts";
import { parseText } from "../../protocol/json.ts";
import type { Log } from "../log.ts";
import type { FileSystem } from "../workspace/durable-file.ts";
import { DurableFile } from "../workspace/durable-file.ts";

/** Maximum number of links by which one browser was let in. */
const MAX_LINKS = 32;

/** Maximum number of stored decisions; beyond that the oldest are dropped. */
const MAX_DEVICES = 500;

const Device = z.object({
  /** SHA-256 of the browser's id: reading the file gives no access. */
  hash: TokenHash,
  /** Display name at the time of the decision. */
  called: z.string(),
  limit: z.optional(z.literal("view")),
  isAway: z.optional(z.boolean()),
  /** Ids of links by which the host let this browser in; they count only while it is not removed. */
  admitted: z.array(GrantId),
  /** Unix ms of the last decision about this browser. */
  at: z.int(),
});
type Device = z.infer<typeof Device>;

const Stored = z.object({ version: z.literal(1), devices: z.array(Device) });

export function getDevicesFile(stateFolder: string): string {
  return join(stateFolder, "people.json");
}

/** Returns the hash that is stored and sent instead of a browser's id. */
export function hashDevice(device: string): string {
  return createHash("sha256").update(`pairpty device\n${device}`).digest("hex");
}

export type DeviceVerdict = Partial<Pick<Device, "limit" | "isAway">>;

export class Devices {
  /** Reports whether the last decision is on disk. */
  readonly file: DurableFile;
  readonly #now: () => number;
  #devices: ReadonlyMap<string, Device> = new Map();

  constructor(
    path: string,
    log: Pick<Log, "error" | "info">,
    now: () => number = Date.now,
    disk?: FileSystem,
  ) {
    this.file = new DurableFile({ path, what: "people's access", log, now, disk });
    this.#now = now;
    const text = this.file.read();
    const stored = text === undefined ? undefined : parseText(Stored, text);
    if (stored?.ok === true) {
      this.#devices = new Map(stored.value.devices.map((device) => [device.hash, device]));
    } else if (stored !== undefined) {
      log.error(
        `${path} cannot be read (${stored.error}): people you let in have to be let in again, and your limits and removals are lost`,
      );
    }
  }

  getVerdict(hash: string | undefined): DeviceVerdict {
    const { limit, isAway } = (hash === undefined ? undefined : this.#devices.get(hash)) ?? {};
    return { ...(limit === undefined ? {} : { limit }), ...(isAway === true ? { isAway } : {}) };
  }

  /** Whether any browser is limited or removed: a client without an id may be one of those. */
  hasRestrictions(): boolean {
    return [...this.#devices.values()].some(
      ({ limit, isAway }) => limit !== undefined || isAway === true,
    );
  }

  isAdmitted(hash: string | undefined, grantId: string): boolean {
    if (hash === undefined) return false;
    const device = this.#devices.get(hash);
    return device?.isAway !== true && device?.admitted.includes(grantId) === true;
  }

  /** Lets a browser in by this link permanently. Throws if that cannot be saved. */
  admit(hash: string, grantId: string, called: string): void {
    const device = this.#getOrCreate(hash);
    const admitted = addLink(device.admitted, grantId);
    this.#widen({ ...device, called, admitted, isAway: undefined }, "no one was let in");
  }

  /**
   * Removes a browser: none of its links works until someone lets it in again. The link that it came
   * by counts as admitted from then on, so that it need not be let in twice.
   */
  sendAway(hash: string, called: string, grantId: string): void {
    const device = this.#getOrCreate(hash);
    const admitted = addLink(device.admitted, grantId);
    this.#narrow({ ...device, called, admitted, isAway: true });
  }

  /** Lifts a removal. Throws if that cannot be saved. */
  liftRemoval(hash: string): void {
    this.#widen({ ...this.#getOrCreate(hash), isAway: undefined }, "they are still removed");
  }

  /** Limits a browser to watching; `undefined` lifts it, and throws if that cannot be saved. */
  limit(hash: string, limit: "view" | undefined, called: string): void {
    const device = { ...this.#getOrCreate(hash), called, limit };
    if (limit === undefined) this.#widen(device, "they still cannot type");
    else this.#narrow(device);
  }

  /** Returns the removed browsers, newest last. */
  listRemoved(): readonly Pick<Device, "hash" | "called" | "at">[] {
    return [...this.#devices.values()].filter(({ isAway }) => isAway === true);
  }

  #getOrCreate(hash: string): Device {
    return this.#devices.get(hash) ?? { hash, called: "", admitted: [], at: 0 };
  }

  #widen(device: Device, consequence: string): void {
    const devices = this.#withDevice(device);
    this.file.widen(encodeDevices(devices), consequence);
    this.#devices = devices;
  }

  #narrow(device: Device): void {
    this.#devices = this.#withDevice(device);
    this.file.narrow(encodeDevices(this.#devices));
  }

  #withDevice(device: Device): ReadonlyMap<string, Device> {
    const devices = new Map(this.#devices);
    devices.delete(device.hash);
    const isWorthKeeping =
      device.limit !== undefined || device.isAway === true || device.admitted.length > 0;
    if (isWorthKeeping) devices.set(device.hash, { ...device, at: this.#now() });
    return new Map([...devices].slice(-MAX_DEVICES));
  }
}

function addLink(admitted: readonly string[], grantId: string): string[] {
  return [...admitted.filter((id) => id !== grantId), grantId].slice(-MAX_LINKS);
}

function encodeDevices(devices: ReadonlyMap<string, Device>): string {
  return `${JSON.stringify({ version: 1, devices: [...devices.values()] }, null, 2)}\n`;
}
