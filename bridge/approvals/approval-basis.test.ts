// What lasting answers depend on, with real files: programs that the agent cannot write.

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findApprovalBasis } from "./approval-basis.ts";
import { canWrite, isInside } from "./approval-rules.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "pp-footing-")));
const root = join(home, "workspace");
const bin = join(home, "bin");
for (const folder of [root, bin]) mkdirSync(folder);
afterAll(() => rmSync(home, { recursive: true, force: true }));

function program(folder: string, name: string): void {
  writeFileSync(join(folder, name), "#!/bin/sh\n");
  chmodSync(join(folder, name), 0o755);
}
for (const name of ["tool", "cargo", "npm", "git", "make", "python3", "tar"]) program(bin, name);
program(root, "own");
writeFileSync(join(root, "script.py"), "print()");
writeFileSync(join(root, "notes.txt"), "text");
symlinkSync(join(root, "own"), join(bin, "linked"));

const PATH = `${bin}:/usr/bin:/bin`;

function footing(command: string | string[], more: object = {}) {
  return findApprovalBasis({
    line: typeof command === "string" ? command : undefined,
    words: typeof command === "string" ? ["/bin/sh", "-c", command] : command,
    cwd: root,
    path: PATH,
    addsVariables: false,
    isUnknown: true,
    canWrite: (path) => isInside(path, root),
    roots: [root],
    ...more,
  });
}

test.each([
  [["cargo", "build", "--release"], "cargo build"],
  ["cargo build --release", "cargo build"],
  ["npm run build", "npm run build"],
  ["git worktree add w5", "git worktree add"],
  ["git remote add yy", "git remote add"],
  ["git stash", "git stash"],
  ["make test -j8 install", "make test install"],
  ["tool store put x1", "tool store put"],
  ["git commit -m 'a b'", "git commit"],
  [["make", "test"], "make test"],
  ["tool build notes.txt", "tool build"],
])("Q12 Q66 Q77 Q98 a rule is offered for one plain command: %j", (command, rule) => {
  const { name, verb } = footing(command)?.prefix ?? {};
  expect(`${name} ${verb}`).toBe(rule);
});

test.each([
  "cargo build > out",
  "cargo build < in",
  "A=1 cargo build",
  "cargo build $(tool x)",
  "cargo build `tool x`",
  "cargo build $X",
  "cargo build *",
  "cargo build; tool x",
  "cargo build && tool x",
  "cargo build | tool x",
  "cargo build &",
  "cargo build # and more",
  "cargo build\ntool x",
  "(cargo build)",
  "time cargo build",
  "env cargo build",
  "nohup cargo build",
  "xargs cargo build",
  "sh -c 'cargo build'",
  "bash build",
  "python3 build",
  "node build",
  "awk build",
  "npx tool",
  "ssh host",
  "tool --all",
  "tool ./build",
  "tool",
  "tool run x",
  "npm exec tool",
  "docker compose up",
  "tool store exec x",
  "tool store run x",
  "git worktree -q add w5",
  "make test ./x",
  "cargo 'a b'",
  "cargo 'bui",
])("Q77 Q99 no rule is offered for %j", (line) => {
  expect(footing(line)?.prefix).toBeUndefined();
});

test("Q77 no rule is offered for what is worse than unknown, nor with variables added", () => {
  expect(footing("cargo build", { isUnknown: false })?.prefix).toBeUndefined();
  expect(footing("cargo build", { addsVariables: true })?.prefix).toBeUndefined();
});

test.each([
  "./own",
  "./own build",
  "linked build",
  "sh own",
  "sh ./own",
  "python3 script.py",
  "env ./own",
  "timeout 5 linked",
  "tool ./own",
  "cargo build && ./own",
  "sh -c './own'",
  "cd x; ./own",
  "$X build",
  "nowhere-at-all build",
  "f() { cargo build; }; f",
  "cargo build $(./own)",
])("Q13 Q78 nothing lasting for what the agent can write: %j", (line) => {
  expect(footing(line)).toBeUndefined();
});

test.each([
  "cargo build",
  "cargo build > notes.txt",
  "cd x && tool notes.txt",
  "sh -c 'cargo build'",
])("Q13 a session's answer is offered for %j", (line) => {
  expect(footing(line)?.programs.length).toBeGreaterThan(0);
});

test("Q13 words and lines are looked at alike", () => {
  expect(footing(["./own", "build"])).toBeUndefined();
  expect(footing(["python3", "script.py"])).toBeUndefined();
  expect(footing(["python3", "script.py"], { canWrite: () => false })).toBeDefined();
});

test("Q13 an agent can write its folders, where everyone may, and what lets others write", () => {
  const [sh] = ["/bin/sh"].map((path) => realpathSync(path));
  expect(canWrite(sh ?? "", [root])).toBe(false);
  expect(canWrite(sh ?? "", ["/"])).toBe(true);
  expect(canWrite(join(root, "own"), [])).toBe(true);
});

test("Q65 a rule names every operand that leads out of the shared folders or to another machine", () => {
  symlinkSync(home, join(root, "out"));
  mkdirSync(join(root, "sub"));
  const reach = (line: string, more: object = {}) => footing(line, more)?.prefix?.reach;
  for (const line of ["git worktree add w5", "tool put sub/../x sub/new/y", `tool put ${root}/x`]) {
    expect(reach(line), line).toEqual([]);
  }
  expect(reach("git worktree add ../w7")).toEqual([join(home, "w7")]);
  expect(reach("tool put ../w7", { cwd: join(root, "sub") })).toEqual([]);
  expect(reach("git worktree move w6 out/w8")).toEqual([join(home, "w8")]);
  expect(reach("tool put --to=../x")).toEqual([join(home, "x")]);
  expect(reach("tool put -C../x")).toEqual([join(home, "x")]);
  expect(reach("tar tf host:b")).toEqual(["host:b"]);
  expect(reach("git remote add b https://x.example/y")).toEqual(["https://x.example/y"]);
  expect(reach("tool put git@host:y /etc/a")).toEqual(["/etc/a", "git@host:y"]);
});

test("Q80 a program that was replaced is another one", () => {
  const before = footing("tool build")?.prefix?.program;
  expect(footing("tool build")?.prefix?.program).toEqual(before);
  rmSync(join(bin, "tool"));
  program(bin, "tool");
  const after = footing("tool build")?.prefix?.program;
  expect(after?.path).toBe(before?.path);
  expect(after?.stamp).not.toBe(before?.stamp);
});
