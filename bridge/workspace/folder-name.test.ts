// The display name of a workspace.

import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { getFolderName, disambiguateName } from "./folder-name.ts";

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
