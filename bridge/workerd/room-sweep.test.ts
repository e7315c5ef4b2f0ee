import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sweepRooms } from "./room-sweep.ts";

/** Returns the first page of a database with this many tables. */
function database(tables: number): Buffer {
  const page = Buffer.alloc(4096);
  page.write("SQLite format 3\0", "latin1");
  page[100] = 0x0d;
  page.writeUInt16BE(tables, 103);
  return page;
}

test("N21 only what surely holds nothing is swept, and nothing that workerd has open", () => {
  const rooms = mkdtempSync(join(tmpdir(), "pp-rooms-"));
  const folder = join(rooms, "namespace");
  mkdirSync(folder);
  const write = (name: string, content: Buffer | string, log?: string) => {
    const path = join(folder, `${name.padEnd(64, "0")}.sqlite`);
    writeFileSync(path, content);
    if (log !== undefined) writeFileSync(`${path}-wal`, log);
  };
  write("a", database(0));
  write("b", database(1));
  write("c", database(0), "a claim");
  write("d", database(0), "");
  write("e", "something else");
  write("f", "");
  writeFileSync(join(folder, "metadata.sqlite"), database(0));
  const left = () =>
    readdirSync(folder)
      .map((name) => name.replace(/0*\.sqlite/, ""))
      .toSorted();
  expect(sweepRooms(rooms, true)).toBe(2);
  expect(left()).toEqual(["b", "c", "c-wal", "d", "d-wal", "e", "metadata"]);
  expect(sweepRooms(rooms, false)).toBe(1);
  expect(left()).toEqual(["b", "c", "c-wal", "e", "metadata"]);
  rmSync(rooms, { recursive: true });
});
