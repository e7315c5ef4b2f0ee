import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LinkSocket } from "./dial-route.ts";

test("E13 the port is dialled where no socket was ever there, or where it stays away", () => {
  const folder = mkdtempSync(join(tmpdir(), "pp-link-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "link.sock");
  const socket = new LinkSocket(path);
  const dials = (count: number) => Array.from({ length: count }, () => socket.getDialPath());
  // An older relay has no socket.
  expect(dials(2)).toEqual([undefined, undefined]);
  writeFileSync(path, "");
  expect(dials(2)).toEqual([path, path]);
  // The relay restarts: its port listens first.
  rmSync(path);
  expect(dials(3)).toEqual([path, path, path]);
  writeFileSync(path, "");
  expect(dials(1)).toEqual([path]);
  rmSync(path);
  expect(dials(7)).toEqual([path, path, path, path, path, undefined, undefined]);
});
