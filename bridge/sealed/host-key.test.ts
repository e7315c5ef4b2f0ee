// The host's key across starts.

import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hostKeyFile, lostKeyMessage, openHostKey } from "./host-key.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "pp-host-key-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test("SE19 the key is made once, and only its user can read it", () => {
  const state = folder();
  const first = openHostKey(state, { fresh: false });
  expect([first.isNew, first.publicKey.length]).toEqual([true, 32]);
  const path = hostKeyFile(state);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  chmodSync(path, 0o644);
  const next = openHostKey(state, { fresh: false });
  expect([next.isNew, next.publicKey]).toEqual([false, first.publicKey]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("SE19 a fresh workspace and a lost file have a new key", () => {
  const state = folder();
  const first = openHostKey(state, { fresh: false });
  const fresh = openHostKey(state, { fresh: true });
  expect(fresh.isNew).toBe(true);
  expect(fresh.publicKey).not.toEqual(first.publicKey);
  expect(openHostKey(state, { fresh: false }).publicKey).toEqual(fresh.publicKey);
  rmSync(hostKeyFile(state));
  const found = openHostKey(state, { fresh: false });
  expect(found.isNew).toBe(true);
  expect(found.publicKey).not.toEqual(fresh.publicKey);
  expect(lostKeyMessage(found, 3)).toContain("3 links have ended");
  expect(lostKeyMessage(found, 0)).toBeUndefined();
  expect(lostKeyMessage(openHostKey(state, { fresh: false }), 3)).toBeUndefined();
});

test("SE19 a damaged file is reported and not replaced", () => {
  for (const text of ["", "{}", '{"version":1,"hostKey":"AAAA"}', '{"version":2}']) {
    const state = folder();
    writeFileSync(hostKeyFile(state), text);
    expect(() => openHostKey(state, { fresh: false })).toThrow("cannot be read");
    expect(statSync(hostKeyFile(state)).size).toBe(text.length);
  }
});
