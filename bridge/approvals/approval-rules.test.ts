// Rules: which calls they allow, and that they end with their grant.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { failingDisk } from "../../test/support/failing-disk.ts";
import type { Approval } from "../../protocol/approval.ts";
import { judgeShell } from "../policy/policy.ts";
import type { ApprovalBasis } from "./approval-basis.ts";
import type { Claim } from "./approval-rules.ts";
import { Rules, toReasonDigest } from "./approval-rules.ts";

const program = { path: "/usr/bin/cargo", stamp: "1:2:3" };
const footing: ApprovalBasis = {
  programs: [program],
  prefix: { name: "cargo", verb: "build", reach: [], program },
};
const claim: Claim = {
  grant: "aaaaaaaaaa",
  key: "digest",
  cwd: "/srv/shop",
  isolation: "none",
  verdict: "unknown",
  basis: footing,
  reasons: toReasonDigest(["cargo is not on the safe list"]),
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

test("Q14 Q80 a session's answer is good for the same plan of the same grant, with the programs as they were", () => {
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
  expect(rules.find({ ...claim, basis: { ...footing, programs: [swapped] } })).toBeUndefined();
  expect(rules.find({ ...claim, basis: undefined })).toBeUndefined();
});

test("Q12 Q79 a rule lifts unknown and nothing else, for its program and verb, in its folder and below", () => {
  const rules = world().open();
  rules.add("prefix", { id: "r1", madeAt: 5 }, approval, claim);
  expect(rules.list()).toMatchObject([{ kind: "prefix", allows: "cargo build …" }]);
  const other: Claim = { ...claim, key: "another plan" };
  const at = (more: Partial<Claim>) => rules.find({ ...other, ...more })?.id;
  const begun = (prefix: ApprovalBasis["prefix"]) => at({ basis: { programs: [program], prefix } });
  expect(at({})).toBe("r1");
  expect(at({ cwd: "/srv/shop/sub" })).toBe("r1");
  expect(at({ cwd: "/srv/shopshop" })).toBeUndefined();
  expect(at({ cwd: "/" })).toBeUndefined();
  expect(at({ verdict: "dangerous" })).toBeUndefined();
  expect(at({ verdict: "blocked" })).toBeUndefined();
  expect(at({ grant: "bbbbbbbbbb" })).toBeUndefined();
  expect(at({ isolation: "sandbox" })).toBeUndefined();
  expect(begun(undefined)).toBeUndefined();
  expect(begun({ name: "cargo", verb: "publish", reach: [], program })).toBeUndefined();
  expect(begun({ name: "rustc", verb: "build", reach: [], program })).toBeUndefined();
  const elsewhere = { ...program, path: "/home/u/bin/cargo" };
  expect(begun({ name: "cargo", verb: "build", reach: [], program: elsewhere })).toBeUndefined();
});

test("Q65 Q66 a rule lifts the same whole sub-command, with the same operands that lead elsewhere", () => {
  const { open } = world();
  const rules = open();
  const put = (verb: string, ...reach: string[]): Claim => {
    const prefix = { name: "git", verb, reach, program };
    return { ...claim, key: "another plan", basis: { programs: [program], prefix } };
  };
  rules.add("prefix", { id: "r1", madeAt: 5 }, approval, put("worktree add"));
  rules.add("prefix", { id: "r2", madeAt: 5 }, approval, put("remote add", "https://a.example"));
  for (const from of [rules, open()]) {
    expect(from.find(put("worktree add"))?.id).toBe("r1");
    expect(from.find(put("worktree move"))).toBeUndefined();
    expect(from.find(put("worktree add", "/srv/w7"))).toBeUndefined();
    expect(from.find(put("remote add", "https://a.example"))?.id).toBe("r2");
    expect(from.find(put("remote add", "https://evil.example"))).toBeUndefined();
    expect(from.find(put("remote set-url", "https://a.example"))).toBeUndefined();
  }
});

test("Q18 a rule lifts a call only for exactly the reasons of the question that it came from", () => {
  const rules = world().open();
  rules.add("prefix", { id: "r1", madeAt: 5 }, approval, claim);
  const judged = (...kinds: string[]) =>
    rules.find({ ...claim, key: "another plan", reasons: toReasonDigest(kinds) })?.id;
  expect(judged("cargo is not on the safe list")).toBe("r1");
  expect(judged("cargo is not on the safe list", "cargo --config")).toBeUndefined();
  expect(judged()).toBeUndefined();
  expect(rules.find({ ...claim, key: "another plan", reasons: undefined })).toBeUndefined();
  const unknown = { ...claim, reasons: undefined };
  expect(rules.add("prefix", { id: "r2", madeAt: 6 }, approval, unknown)).toBeUndefined();
});

test("A24 A72 Q18 from a question to a later call: values behind = and glued ones count", () => {
  const lifts = (asked: string, later: string): boolean => {
    const rules = world().open();
    const at = (line: string): Claim => {
      const { verdict, kinds } = judgeShell(line, { cwd: "/srv/shop" });
      return { ...claim, key: line, verdict, reasons: toReasonDigest(kinds) };
    };
    rules.add("prefix", { id: "r1", madeAt: 5 }, approval, at(asked));
    return rules.find(at(later)) !== undefined;
  };
  const alike = [
    ["tar tf a.tar", "tar tf other/b.tar"],
    ["tar tf a.tar", "tar tf a.tar src/x.ts -v"],
    ["cargo run", "cargo run --release -j4"],
    ["make install", "make install lint -k"],
    ["cp src/a.ts src/b.ts", "cp src/a.ts src/deep/c.ts"],
    ["gcc main.c", "gcc main.c util.c -c -g"],
    ["man ls", "man ls git"],
  ];
  const others = [
    ["tar tf a.tar", "tar tf a.tar --checkpoint-action=exec=ls"],
    ["tar tf a.tar", "tar tf a.tar --checkpoint=1 --checkpoint-action=exec=./x"],
    ["tar tf a.tar", "tar tf a.tar --use-compress-program=./x"],
    ["tar tf a.tar", "tar tf a.tar --use-compress-program ls"],
    ["tar tf a.tar", "tar tf a.tar --use-comp=cat"],
    ["tar tf a.tar", "tar tf a.tar -I ls"],
    ["tar tf a.tar", "tar tf a.tar -Icat"],
    ["tar tf a.tar", "tar tf a.tar --to-command=cat"],
    ["tar tf a.tar", "tar tf a.tar -C ../x"],
    ["make install", "make install -f other.mk"],
    ["make install", "make install SHELL=./x"],
    ["make install", "make install --eval=x"],
    ["make install", "make install -C sub"],
    ["gcc main.c", "gcc main.c -fplugin=./x.so"],
    ["gcc main.c", "gcc main.c -wrapper x,y"],
    ["gcc main.c", "gcc main.c -B tools"],
    ["gcc main.c", "gcc main.c -Btools"],
    ["gcc main.c", "gcc main.c -specs=x"],
    ["gcc main.c", "gcc main.c @args"],
    ["gcc main.c", "gcc main.c -o x"],
    ["man ls", "man ls -P cat"],
    ["man ls", "man ls --pager=cat"],
    ["man ls", "man ls -Hcat"],
    ["cp src/a.ts src/b.ts", "cp src/a.ts -t src/x"],
    ["cp src/a.ts src/b.ts", "cp src/a.ts --target-directory=src/x"],
    ["cp src/a.ts src/b.ts", "cp src/a.ts ../b.ts"],
    ["cp src/a.ts src/b.ts", "cp src/a.ts .vscode/tasks.json"],
    ["cp src/a.ts src/b.ts", "cp src/a.ts .git/hooks"],
    ["rsync a b", "rsync a b -e ls"],
    ["rsync a b", "rsync a b --rsync-path=ls"],
    ["zip a b", "zip a b -T -TT ls"],
    ["less a", "less a -o out"],
    ["less a", "less a +x"],
    ["vim a", "vim a -c x"],
    ["cargo run", "cargo run --config build.rustc-wrapper='./x'"],
    ["pytest tests --pdb", "pytest tests --pdb -p plugin"],
    ["go generate", "go generate -toolexec x"],
    ["git apply a.patch", "git apply a.patch --unsafe-paths"],
    ["git apply a.patch", "git apply a.patch --directory=../x"],
  ];
  expect(alike.filter(([asked = "", later = ""]) => !lifts(asked, later))).toEqual([]);
  expect(others.filter(([asked = "", later = ""]) => lifts(asked, later))).toEqual([]);
});

test("Q19 rules of an older version, without reasons, lift nothing, and the log says so", () => {
  const { open, path } = world();
  const first = open();
  first.add("prefix", { id: "r1", madeAt: 1 }, approval, claim);
  first.add("session", { id: "r2", madeAt: 2 }, approval, claim);
  const older = readFileSync(path, "utf8").replace(/^\s*"reasons": .*\n/m, "");
  const { open: openOlder, problems } = world(older);
  const rules = openOlder();
  expect(rules.list().map(({ id }) => id)).toEqual(["r2"]);
  expect(rules.find({ ...claim, key: "another plan" })).toBeUndefined();
  expect(problems).toEqual([expect.stringContaining("1 of 2 rules were made by an older version")]);
});

test("Q81 rules outlast their bridge, not their grant; the file is their user's alone", () => {
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
  expect(first.endAllOfGrant("aaaaaaaaaa").map(({ id }) => id)).toEqual(["r1"]);
  expect(readFileSync(path, "utf8")).not.toContain("r1");
  expect(first.end("r2")?.id).toBe("r2");
  expect(first.end("r2")).toBeUndefined();
  expect(open().list()).toEqual([]);
});

test("Q82 the same answer given twice is one rule, and there are 256 at most", () => {
  const rules = world().open();
  for (const id of ["r1", "r2"]) rules.add("session", { id, madeAt: 1 }, approval, claim);
  expect(rules.list().map(({ id }) => id)).toEqual(["r2"]);
  for (let n = 0; n < 300; n++) {
    rules.add("session", { id: `x${n}`, madeAt: 1 }, approval, { ...claim, key: `${n}` });
  }
  expect(rules.list()).toHaveLength(256);
  expect(rules.list().at(-1)?.id).toBe("x299");
});

test("Q100 a file that cannot be read counts as empty", () => {
  const broken = world("{");
  expect(broken.open().list()).toEqual([]);
  expect(broken.problems).toEqual([expect.stringContaining("rules.json cannot be read")]);
});

test("G14 G37 a rule that cannot be kept is not made", () => {
  const { open, disk } = world();
  const rules = open();
  disk.isFull = true;
  const add = () => rules.add("session", { id: "r1", madeAt: 1 }, approval, claim);
  expect(add).toThrow(/^no rule was made: .*the disk is full$/);
  expect(rules.find(claim)).toBeUndefined();
  expect(open().list()).toEqual([]);
});

test("G13 G29 a rule that ends does so at once, and on a full disk for the next bridge, too", async () => {
  const { open, disk, problems } = world();
  const rules = open();
  rules.add("session", { id: "r1", madeAt: 1 }, approval, claim);
  rules.add("session", { id: "r2", madeAt: 1 }, approval, { ...claim, key: "another" });
  disk.isFull = true;
  expect(rules.end("r1")?.id).toBe("r1");
  expect(rules.file.unsaved).toBeUndefined();
  expect(open().list()).toMatchObject([{ id: "r2" }]);
  disk.hasReserve = false;
  expect(rules.endAllOfGrant(claim.grant)).toMatchObject([{ id: "r2" }]);
  expect(rules.list()).toEqual([]);
  expect(rules.file.unsaved).toMatchObject({ what: "standing rules", why: "the disk is full" });
  expect(problems.at(-1)).toMatch(/keeps retrying/);
  disk.isFull = false;
  await rules.file.saved();
  expect(open().list()).toEqual([]);
});
