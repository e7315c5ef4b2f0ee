// Owns a room's people for tests beside the code: a real hub, the people's services over it, and
// callers that come and go by links of the test's own.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { AuditEntry } from "../../bridge/audit/audit-log.ts";
import type { Caller, DoorName } from "../../bridge/callers/caller.ts";
import { applyLimit } from "../../bridge/callers/permissions.ts";
import { Hub } from "../../bridge/callers/hub.ts";
import type { ModerationEvent } from "../../bridge/people/moderation.ts";
import { GrantTable } from "../../bridge/grants/grant-table.ts";
import type { NewGrant } from "../../bridge/grants/grant-table.ts";
import { createLog } from "../../bridge/log.ts";
import type { FileSystem } from "../../bridge/workspace/durable-file.ts";
import { openVisitorServices } from "../../bridge/run/visitor-services.ts";
import { toBytes } from "../../protocol/text.ts";
import type { PoolTerminal } from "../../bridge/terminals/terminal.ts";

interface Later {
  at: number;
  readonly action: () => void;
}

/** A clock that a test moves. */
export class Clock {
  now = 1_000_000;
  #waiting: Later[] = [];

  readonly later = (action: () => void, milliseconds: number): (() => void) => {
    const one = { at: this.now + milliseconds, action };
    this.#waiting.push(one);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== one);
    };
  };

  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (;;) {
      const due = this.#waiting.toSorted((a, b) => a.at - b.at).find(({ at }) => at <= end);
      if (due === undefined) break;
      this.#waiting = this.#waiting.filter((one) => one !== due);
      this.now = Math.max(this.now, due.at);
      due.action();
    }
    this.now = end;
  }
}

export interface Guest extends Caller {
  readonly number: number;
  readonly messages: Record<string, unknown>[];
  readonly closed: string[];
  say(message: object): void;
  /** What it was told of one type, newest last. */
  received(type: string): Record<string, unknown>[];
  leave(): void;
}

export function peopleRoom({
  isKnockOn = false,
  linkIsUp = async () => {},
  origin = "https://relay.example.com",
  disk = undefined as FileSystem | undefined,
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), "pp-people-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new Clock();
  const now = () => clock.now;
  const { later } = clock;
  const logged: string[] = [];
  const log = createLog("info", (line) => void logged.push(line));
  const grants = new GrantTable(join(folder, "grants.json"), now, {
    log,
    ...(disk && { disk }),
  });
  const hub = new Hub(grants, log);
  const audit: AuditEntry[] = [];
  const terminals = new Map<string, Pick<PoolTerminal, "meta">>();
  const numbers = new Map<Caller, { number: number; attached: Map<string, true> }>();
  const events: string[] = [];
  const decided: ModerationEvent[] = [];
  const devicesPath = join(folder, "people.json");
  const { visitors, moderation, sharing, devices, dialect } = openVisitorServices(
    {
      hub,
      grants,
      viewers: { findByCaller: (caller) => numbers.get(caller) },
      terminal: (id) => terminals.get(id),
      audit: { write: (entry) => void audit.push(entry) },
      log,
      now,
      schedule: later,
      disk,
    },
    {
      devicesPath,
      isKnockOn,
      folder: { edit: "shop (ana)", view: "shop (k3f9)" },
      linkWith: (token) => `${origin}/w/x#${token}`,
      confirmed: linkIsUp,
      onDecided: (one) => decided.push(one),
    },
  );
  visitors.onEvent((messages) => {
    if (messages.event === "changed") return;
    events.push(`${messages.event} ${messages.visitor.caller.status?.name ?? "?"}`);
  });
  hub.registerDialect(dialect);
  const doors = new Map<DoorName, Caller["door"]>();
  const createDoor = (name: DoorName) => {
    const door = doors.get(name) ?? {
      name,
      proof: "socket" as const,
      sendAll: (callers: readonly Caller[], message: string) => {
        for (const caller of callers) caller.send(message);
      },
    };
    doors.set(name, door);
    return door;
  };
  const mint = (request: Partial<NewGrant> = {}) =>
    grants.mint({
      role: "edit",
      scopes: [],
      label: "",
      expiresAt: null,
      session: false,
      ...request,
    });
  let last = 0;
  const come = (
    grantId: string,
    { door = "people", wasIn = false, wasThere = wasIn }: Arrival = {},
  ): Guest => {
    const messages: Record<string, unknown>[] = [];
    const closed: string[] = [];
    let leave = () => {};
    const number = ++last;
    const guest: Guest = {
      number,
      door: createDoor(door),
      since: clock.now,
      grantId,
      wasAdmitted: wasIn,
      predatesBridge: wasThere,
      status: undefined,
      grant: () => {
        const grant = grants.lookUp(grantId);
        return grant === undefined ? undefined : applyLimit(grant, guest.status);
      },
      send: (message) => void messages.push(JSON.parse(message)),
      close: ({ why }) => {
        closed.push(why);
        guest.leave();
      },
      messages,
      closed,
      say: (message) => hub.handleMessage(guest, toBytes(JSON.stringify(message))),
      received: (type) => messages.filter((message) => message["type"] === type),
      leave: () => {
        leave();
        leave = () => {};
      },
    };
    numbers.set(guest, { number, attached: new Map() });
    leave = hub.open(guest);
    if (closed.length > 0) guest.leave();
    return guest;
  };
  /** As a page does: it says hello at once. */
  const enter = (grantId: string, arrival: Arrival = {}): Guest => {
    const guest = come(grantId, arrival);
    guest.say({ type: "room:hello" });
    return guest;
  };
  return {
    clock,
    enter,
    dialect,
    hub,
    grants,
    devices,
    devicesPath,
    visitors,
    hosting: moderation,
    sharing,
    audit,
    events,
    decided,
    logged,
    terminals,
    numbers,
    mint,
    come,
    log,
  };
}

interface Arrival {
  readonly door?: DoorName;
  readonly wasIn?: boolean;
  readonly wasThere?: boolean;
}

/** A browser's id, as a page makes it. */
export function toDevice(name: string): string {
  return `${name}-browser-0123456789`;
}
