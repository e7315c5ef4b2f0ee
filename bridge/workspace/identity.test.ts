// A folder's identity across starts. The display name of a workspace.

import { chmodSync, mkdtempSync, rmSync, statSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Identity, getFolderName, disambiguateName } from "./identity.ts";

const ID = "k3f9abcdefghijkmnpqr";

test("FR11 a folder's own name, and what tells it from another of that name", () => {
  expect(disambiguateName("/home/ana/shop", ID, ["/home/ana/blog"])).toEqual({
    edit: "shop",
    view: "shop",
  });
  expect(disambiguateName("/home/ana/shop", ID, ["/home/ana/old/shop", "/home/ana/shop"])).toEqual({
    edit: "shop (ana)",
    view: "shop (k3f9)",
  });
  expect(disambiguateName("/work/a/src/app", ID, ["/work/b/src/app"]).edit).toBe("app (a)");
  // A path that is too short to differ ends at the root.
  expect(disambiguateName("/app", ID, ["/x/app"]).edit).toBe("app (/)");
  expect(disambiguateName("/", ID, []).view).toBe("/");
  expect(disambiguateName("/tmp/a\nb\u202Ec", ID, []).view).toBe("a b c");
});

test("FR11 a workspace notes its folder for the others, which see only folders that are there", () => {
  const root = mkdtempSync(join(tmpdir(), "pp-names-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const place = (name: string, way: string) => {
    const made = { state: join(root, "state", name), folder: join(root, way) };
    mkdirSync(made.state, { recursive: true });
    mkdirSync(made.folder, { recursive: true });
    return made;
  };
  const [one, other] = [place("1", "one/app"), place("2", "other/app")];
  expect(getFolderName(one, ID).view).toBe("app");
  expect(getFolderName(other, ID).edit).toBe("app (other)");
  expect(getFolderName(one, ID)).toEqual({ edit: "app (one)", view: "app (k3f9)" });
  expect(statSync(join(one.state, "folder")).mode & 0o777).toBe(0o600);
  rmSync(other.folder, { recursive: true });
  expect(getFolderName(one, ID).edit).toBe("app");
});

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
