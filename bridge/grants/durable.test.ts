import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { failingDisk } from "../../test/support/failing-disk.ts";
import { mountSmallDisk } from "../../test/support/full-disk.ts";
import { setFaultLog } from "../faults.ts";
import { GrantTable } from "./grant-table.ts";

const REQUEST = { role: "edit", scopes: [], label: "x", session: false, expiresAt: null } as const;
const newGrant = () => ({ ...REQUEST, scopes: [] });

test("G13 G28 G29 a link that was revoked on a full disk stays revoked after a restart", ({
  skip,
}) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip();
  const path = join(disk.folder, "grants.json");
  const table = new GrantTable(path);
  const ids = Array.from({ length: 40 }, () => table.mint(newGrant()).grant.id);
  disk.fill();
  for (const id of ids.slice(0, 39)) expect(table.revoke(id)).toBe(true);
  expect(new GrantTable(path).list().map(({ id }) => id)).toEqual(ids.slice(39));
});

test("G14 G37 a link that cannot be kept is not made", ({ skip }) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip();
  const path = join(disk.folder, "grants.json");
  const table = new GrantTable(path);
  table.mint(newGrant());
  const events: string[] = [];
  table.onEvent(({ event }) => void events.push(event));
  disk.fill();
  expect(() => table.mint(newGrant())).toThrow(/disk is full/);
  expect(table.list()).toHaveLength(1);
  expect(events).toEqual([]);
  disk.empty();
  table.mint(newGrant());
  expect(new GrantTable(path).list()).toHaveLength(2);
});

test("G13 a listener that throws keeps no revocation from the disk, nor from the others", () => {
  const faults: string[] = [];
  onTestFinished(setFaultLog({ error: (line) => void faults.push(line) }));
  const folder = mkdtempSync(join(tmpdir(), "pp-grants-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "grants.json");
  const table = new GrantTable(path);
  const { id } = table.mint(newGrant()).grant;
  table.onEvent(() => {
    throw new Error("a bug");
  });
  const events: string[] = [];
  table.onEvent(({ event }) => void events.push(event));
  expect(table.revoke(id)).toBe(true);
  expect(events).toEqual(["revoked"]);
  expect(faults).toHaveLength(1);
  expect(new GrantTable(path).list()).toEqual([]);
});

test("G13 G30 without room at all a revocation holds at once, with those made by that link, and is saved later", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pp-grants-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "grants.json");
  const disk = failingDisk();
  let now = 0;
  const clock = () => now;
  const table = new GrantTable(path, clock, { log: { error: () => {}, info: () => {} }, disk });
  const { id } = table.mint(newGrant()).grant;
  const child = table.mint({ ...newGrant(), madeBy: id }).grant;
  table.mint({ ...newGrant(), expiresAt: 1_000 });
  const events: string[] = [];
  table.onEvent(({ event, grant }) => void events.push(`${event} ${grant.id}`));
  Object.assign(disk, { isFull: true, hasReserve: false });
  expect(table.revoke(id)).toBe(true);
  expect(events).toEqual([`revoked ${id}`, `revoked ${child.id}`]);
  expect([table.lookUp(id), table.lookUp(child.id)]).toEqual([undefined, undefined]);
  // A crash now would undo it, and `unsaved` reports that.
  expect(table.file.unsaved).toMatchObject({ path, why: "the disk is full" });
  expect(new GrantTable(path, clock).list()).toHaveLength(3);
  now = 2_000;
  expect(table.list()).toEqual([]);
  disk.isFull = false;
  await table.file.saved();
  expect(new GrantTable(path, () => 0).list()).toEqual([]);
});
