// The host's decisions about people while the disk cannot be written.

import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { failingDisk } from "../../test/support/failing-disk.ts";
import { toDevice, peopleRoom } from "../../test/support/people.ts";
import type { Guest } from "../../test/support/people.ts";
import { createControlCaller } from "../doors/control/control-server.ts";
import { setFaultLog } from "../faults.ts";
import { GrantTable } from "../grants/grant-table.ts";
import { unwrapDecision } from "../cli/answers/room-answers.ts";
import { Devices, hashDevice } from "./devices.ts";

afterEach(() => void vi.useRealTimers());

const host = createControlCaller(() => {});
const hello = (guest: Guest, name: string) =>
  guest.say({ type: "room:hello", name, device: toDevice(name) });

/** Ana may type and share; Gus joined by his own link; the disk still works. */
function world() {
  const disk = failingDisk();
  const room = peopleRoom({ disk });
  const ana = room.enter(room.mint({ label: "ana", mayShare: true }).grant.id);
  hello(ana, "Ana");
  const gus = room.come(room.mint({ label: "gus" }).grant.id);
  hello(gus, "Gus");
  const kept = () =>
    new Devices(room.devicesPath, room.log).getVerdict(hashDevice(toDevice("Gus")));
  const breakDisk = () => Object.assign(disk, { isFull: true, hasReserve: false });
  return { ...room, disk, ana, gus, kept, breakDisk };
}

test("PE18 PE68 whom the host limits is limited at once; the page learns that it is not saved, and it is saved later", async () => {
  vi.useFakeTimers();
  const { ana, gus, visitors, breakDisk, disk, devices, kept } = world();
  breakDisk();
  const who = visitors.listPeople().find(({ name }) => name === "Gus")?.id;
  ana.say({ type: "room:rights", who, role: "view" });
  expect(gus.grant()?.role).toBe("view");
  expect(ana.received("room:error")).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ana.received("room:error")).toEqual([
    {
      type: "room:error",
      code: "not_saved",
      error: expect.stringMatching(
        /^This is in force now, but .*\(the disk is full\)\. .* this is undone\.$/,
      ),
    },
  ]);
  expect(kept()).toEqual({});
  disk.isFull = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(devices.file.unsaved).toBeUndefined();
  expect(kept()).toEqual({ limit: "view" });
});

test("PE18 who is removed on a full disk is gone, in room that was reserved, and no one is bothered", async () => {
  vi.useFakeTimers();
  const { ana, gus, visitors, disk, kept } = world();
  disk.isFull = true;
  const who = visitors.listPeople().find(({ name }) => name === "Gus")?.id;
  ana.say({ type: "room:remove", who });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(gus.closed).toEqual(["sent away"]);
  expect(kept()).toEqual({ isAway: true });
  expect(ana.received("room:error")).toEqual([]);
});

test("PE18 one page that cannot be told keeps neither the others nor its browser's link", () => {
  const faults: string[] = [];
  onTestFinished(setFaultLog({ error: (line) => void faults.push(line) }));
  const { come, mint, hosting, grants, gus } = world();
  const { grant } = mint({ device: hashDevice(toDevice("Gus")) });
  const other = come(gus.grantId);
  hello(other, "Gus");
  Object.assign(gus, {
    send: () => {
      throw new Error("its socket is broken");
    },
  });
  expect(hosting.remove(host, "Gus")).toMatchObject({ ok: true });
  expect([gus.closed, other.closed]).toEqual([["sent away"], ["sent away"]]);
  expect(faults).toEqual([expect.stringContaining("its socket is broken")]);
  expect(grants.lookUp(grant.id)).toBeUndefined();
});

test("PE18 G14 G37 PE69 no one is let in, let back or given the keyboard where that cannot be kept", () => {
  const { come, mint, hosting, hub, gus, disk, audit, kept } = world();
  const eve = come(mint({ knock: true, label: "guest" }).grant.id);
  hello(eve, "Eve");
  const zoe = come(mint({ label: "zoe" }).grant.id);
  hello(zoe, "Zoe");
  hosting.setRole(host, "Gus", "view");
  hosting.remove(host, "Zoe");
  const before = audit.length;
  disk.isFull = true;
  const refused = [
    hosting.admit(host, "Eve"),
    hosting.admit(host, "Zoe"),
    hosting.setRole(host, "Gus", "edit"),
  ];
  for (const decision of refused) {
    expect(decision).toMatchObject({
      ok: false,
      code: "not_saved",
      error: expect.stringMatching(/^The host's machine could not save this \(the disk is full\)/),
    });
    expect(() => unwrapDecision(decision)).toThrow(expect.objectContaining({ exitCode: 5 }));
  }
  expect(hub.isWaiting(eve)).toBe(true);
  expect(gus.grant()?.role).toBe("view");
  expect(kept()).toEqual({ limit: "view" });
  expect(audit).toHaveLength(before);
  disk.isFull = false;
  expect(hosting.admit(host, "Eve")).toMatchObject({ ok: true });
  expect(hub.isWaiting(eve)).toBe(false);
});

test("G37 in the page no link is made and no browser remembered that cannot be kept; the one before stays", async () => {
  const { ana, grants, disk, clock } = world();
  const origin = "https://relay.example.com";
  ana.say({ type: "room:remember", origin });
  await clockTurns();
  const own = grants.list().find(({ device }) => device !== undefined);
  const before = grants.list();
  disk.isFull = true;
  ana.say({ type: "room:share", role: "view", label: "x", expiresInMs: 60_000 });
  ana.say({ type: "room:remember", origin });
  await clockTurns();
  clock.pass(1_000);
  expect(ana.received("room:error")).toMatchObject([{ code: "not_saved" }, { code: "not_saved" }]);
  expect(ana.received("room:shared")).toEqual([]);
  expect(grants.list()).toEqual(before);
  expect(own && grants.lookUp(own.id)).toBeDefined();
});

test("G37 a browser whose admission cannot be kept gets no link of its own either", async () => {
  const { ana, grants, disk } = world();
  const before = grants.list().length;
  // Fails between the two files: the link is on disk by then.
  grants.onEvent(() => void (disk.isFull = true));
  ana.say({ type: "room:remember", origin: "https://relay.example.com" });
  await clockTurns();
  expect(ana.received("room:error")).toMatchObject([{ code: "not_saved" }]);
  expect(ana.received("room:remembered")).toEqual([]);
  expect(grants.list()).toHaveLength(before);
});

test("G36 a link that is revoked in the page: the page says where it is not saved", async () => {
  const { ana, grants, breakDisk, devicesPath, clock } = world();
  ana.say({ type: "room:share", role: "view", label: "x", expiresInMs: 60_000 });
  await clockTurns();
  const made = grants.list().find(({ label }) => label === "x");
  breakDisk();
  vi.useFakeTimers();
  ana.say({ type: "room:revoke", id: made?.id });
  expect(ana.received("room:links").at(-1)).toMatchObject({ links: [] });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ana.received("room:error")).toMatchObject([{ code: "not_saved" }]);
  const file = devicesPath.replace("people.json", "grants.json");
  const next = new GrantTable(file, () => clock.now);
  expect(next.list().map(({ label }) => label)).toContain("x");
});

const clockTurns = () => new Promise((resolve) => setImmediate(resolve));
