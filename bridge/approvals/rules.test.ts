// Rules: which calls they let run, and that they end with their grant.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { failingDisk } from "../../test/support/failing-disk.ts";
import type { Approval } from "../../protocol/approval.ts";
import type { Footing } from "./footing.ts";
import type { Claim } from "./rules.ts";
import { Rules } from "./rules.ts";

const program = { path: "/usr/bin/cargo", stamp: "1:2:3" };
const footing: Footing = {
  programs: [program],
  prefix: { name: "cargo", verb: "build", program },
};
const claim: Claim = {
  grant: "aaaaaaaaaa",
  key: "digest",
  cwd: "/srv/shop",
  isolation: "none",
  verdict: "unknown",
  footing,
};
const approval: Approval = {
  id: "abc123",
  kind: "command",
  agent: { grant: "aaaaaaaaaa", label: "Cursor" },
  via: "bash",
  command: "cargo build --release",
  cwd: "/srv/shop",
  verdict: "unknown",
  why: [],
  isolation: "none",
  offers: ["once", "session", "prefix", "deny"],
  rule: "cargo build …",
  askedAt: 1,
  expiresAt: null,
};

function world(text?: string) {
  const folder = mkdtempSync(join(tmpdir(), "pp-rules-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "rules.json");
  if (text !== undefined) writeFileSync(path, text);
  const problems: string[] = [];
  const log = { error: (problem: string) => void problems.push(problem), info: () => {} };
  const disk = failingDisk();
  const open = (isAlive = (_grant: string) => true) => new Rules(path, log, isAlive, disk);
  return { folder, path, problems, disk, open };
}

test("Q14 a session's answer is good for the same plan of the same grant, with the programs as they were", () => {
  const rules = world().open();
  rules.add("session", { id: "r1", madeAt: 5 }, approval, claim);
  expect(rules.list()).toEqual([
    {
      id: "r1",
      kind: "session",
      grant: "aaaaaaaaaa",
      label: "Cursor",
      allows: "cargo build --release",
      cwd: "/srv/shop",
      madeAt: 5,
    },
  ]);
  expect(rules.find(claim)?.id).toBe("r1");
  expect(rules.find({ ...claim, verdict: "dangerous" })?.id).toBe("r1");
  expect(rules.find({ ...claim, key: "another" })).toBeUndefined();
  expect(rules.find({ ...claim, grant: "bbbbbbbbbb" })).toBeUndefined();
  const swapped = { ...program, stamp: "1:2:4" };
  expect(rules.find({ ...claim, footing: { ...footing, programs: [swapped] } })).toBeUndefined();
  expect(rules.find({ ...claim, footing: undefined })).toBeUndefined();
});

test("Q14 a rule lifts unknown and nothing else, for its program and verb, in its folder and below", () => {
  const rules = world().open();
  rules.add("prefix", { id: "r1", madeAt: 5 }, approval, claim);
  expect(rules.list()).toMatchObject([{ kind: "prefix", allows: "cargo build …" }]);
  const other: Claim = { ...claim, key: "another plan" };
  const at = (more: Partial<Claim>) => rules.find({ ...other, ...more })?.id;
  const begun = (prefix: Footing["prefix"]) => at({ footing: { programs: [program], prefix } });
  expect(at({})).toBe("r1");
  expect(at({ cwd: "/srv/shop/sub" })).toBe("r1");
  expect(at({ cwd: "/srv/shopshop" })).toBeUndefined();
  expect(at({ cwd: "/" })).toBeUndefined();
  expect(at({ verdict: "dangerous" })).toBeUndefined();
  expect(at({ verdict: "blocked" })).toBeUndefined();
  expect(at({ grant: "bbbbbbbbbb" })).toBeUndefined();
  expect(at({ isolation: "sandbox" })).toBeUndefined();
  expect(begun(undefined)).toBeUndefined();
  expect(begun({ name: "cargo", verb: "publish", program })).toBeUndefined();
  expect(begun({ name: "rustc", verb: "build", program })).toBeUndefined();
  const elsewhere = { ...program, path: "/home/u/bin/cargo" };
  expect(begun({ name: "cargo", verb: "build", program: elsewhere })).toBeUndefined();
});

test("Q14 rules outlast their bridge, not their grant; the file is their user's alone", () => {
  const { open, path } = world();
  const first = open();
  first.add("session", { id: "r1", madeAt: 1 }, approval, claim);
  first.add("prefix", { id: "r2", madeAt: 2 }, approval, { ...claim, grant: "bbbbbbbbbb" });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(open().find(claim)?.id).toBe("r1");
  expect(
    open((grant) => grant === "bbbbbbbbbb")
      .list()
      .map(({ id }) => id),
  ).toEqual(["r2"]);
  expect(first.endOf("aaaaaaaaaa").map(({ id }) => id)).toEqual(["r1"]);
  expect(readFileSync(path, "utf8")).not.toContain("r1");
  expect(first.end("r2")?.id).toBe("r2");
  expect(first.end("r2")).toBeUndefined();
  expect(open().list()).toEqual([]);
});

test("Q14 the same answer given twice is one rule, and there are 256 at most", () => {
  const rules = world().open();
  for (const id of ["r1", "r2"]) rules.add("session", { id, madeAt: 1 }, approval, claim);
  expect(rules.list().map(({ id }) => id)).toEqual(["r2"]);
  for (let n = 0; n < 300; n++) {
    rules.add("session", { id: `x${n}`, madeAt: 1 }, approval, { ...claim, key: `${n}` });
  }
  expect(rules.list()).toHaveLength(256);
  expect(rules.list().at(-1)?.id).toBe("x299");
});

test("Q14 a file that cannot be read counts as empty", () => {
  const broken = world("{");
  expect(broken.open().list()).toEqual([]);
  expect(broken.problems).toEqual([expect.stringContaining("rules.json cannot be read")]);
});

test("G14 a rule that cannot be kept is not made", () => {
  const { open, disk } = world();
  const rules = open();
  disk.isFull = true;
  const add = () => rules.add("session", { id: "r1", madeAt: 1 }, approval, claim);
  expect(add).toThrow(/^no rule was made: .*the disk is full$/);
  expect(rules.find(claim)).toBeUndefined();
  expect(open().list()).toEqual([]);
});

test("G13 a rule that ends does so at once, and on a full disk for the next bridge, too", async () => {
  const { open, disk, problems } = world();
  const rules = open();
  rules.add("session", { id: "r1", madeAt: 1 }, approval, claim);
  rules.add("session", { id: "r2", madeAt: 1 }, approval, { ...claim, key: "another" });
  disk.isFull = true;
  expect(rules.end("r1")?.id).toBe("r1");
  expect(rules.file.unsaved).toBeUndefined();
  expect(open().list()).toMatchObject([{ id: "r2" }]);
  disk.hasReserve = false;
  expect(rules.endOf(claim.grant)).toMatchObject([{ id: "r2" }]);
  expect(rules.list()).toEqual([]);
  expect(rules.file.unsaved).toMatchObject({ what: "standing rules", why: "the disk is full" });
  expect(problems.at(-1)).toMatch(/is retried/);
  disk.isFull = false;
  await rules.file.saved();
  expect(open().list()).toEqual([]);
});
