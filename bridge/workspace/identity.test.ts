// A folder's identity across starts.

import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Identity } from "./identity.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "pp-identity-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test("C3 id, key and port are kept per folder; another folder is another room, and so is a fresh one, which knows the one before", () => {
  const state = folder();
  const first = Identity.open(state, { fresh: false });
  first.port = 4711;
  const next = Identity.open(state, { fresh: false });
  expect(next).toMatchObject({
    workspace: first.workspace,
    publicKey: first.publicKey,
    generation: first.generation,
    port: 4711,
  });
  const fresh = Identity.open(state, { fresh: true });
  expect(fresh.workspace).not.toBe(first.workspace);
  expect(fresh.publicKey).not.toBe(first.publicKey);
  expect(fresh.previous?.workspace).toBe(first.workspace);
  expect(Identity.open(state, { fresh: false }).workspace).toBe(fresh.workspace);
  const other = Identity.open(folder(), { fresh: false });
  expect([first.workspace, fresh.workspace]).not.toContain(other.workspace);
});

test("E11 an identity that stays as it is is not written, unless others may read it", () => {
  const state = folder();
  const path = join(state, "workspace.json");
  Identity.open(state, { fresh: false }).port = 4711;
  const { ino, mtimeMs } = statSync(path);
  Identity.open(state, { fresh: false }).port = 4711;
  expect(statSync(path)).toMatchObject({ ino, mtimeMs });
  chmodSync(path, 0o644);
  Identity.open(state, { fresh: false });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("C56 a name that was asked for is kept once a relay has taken it, and not before", () => {
  const state = folder();
  const refused = Identity.open(state, { fresh: false, workspace: "taken-room" });
  expect(refused.workspace).toBe("taken-room");
  const own = Identity.open(state, { fresh: false });
  expect(own.workspace).toMatch(/^[a-z0-9]{20}$/);
  Identity.open(state, { fresh: false, workspace: "another-room" }).keepName();
  expect(Identity.open(state, { fresh: false }).workspace).toBe("another-room");
});

test("G20 a fresh identity with the name of before has its key, since it is the same room, and none of its links", () => {
  const state = folder();
  const first = Identity.open(state, { fresh: false, workspace: "my-room" });
  first.keepName();
  const second = Identity.open(state, { fresh: true, workspace: "my-room" });
  expect(second.publicKey).toBe(first.publicKey);
  expect(second.generation).not.toBe(first.generation);
  expect(second.previous).toBeUndefined();
});
