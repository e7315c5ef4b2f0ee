// A working day in a sandbox: a terminal that is one, and the programs that people use, for root and
// for a plain user.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectTerminal } from "../support/walled-terminal.ts";
import type { IsolatedWorld } from "../support/walls.ts";
import { canSandbox, openIsolation, WHO } from "../support/walls.ts";

const isHere = await canSandbox();

const PACKAGE = {
  name: "work",
  version: "1.0.0",
  // npm takes longer to start than either: one start runs both.
  scripts: { pretest: "node build.mjs", test: "node check.mjs" },
};

describe.each(WHO)("%s", { skip: !isHere }, (who) => {
  let world: IsolatedWorld;
  beforeAll(async () => {
    world = await openIsolation(who);
    const files = {
      "package.json": JSON.stringify(PACKAGE),
      "check.mjs":
        'import { readFileSync } from "node:fs"; import assert from "node:assert"; assert.equal(readFileSync("dist/out.txt", "utf8"), "built"); console.log("checked");\n',
      "build.mjs":
        'import { mkdirSync, writeFileSync } from "node:fs"; mkdirSync("dist", { recursive: true }); writeFileSync("dist/out.txt", "built");\n',
      Makefile: "all:\n\t@echo making\n\t@echo made > made.txt\n",
    };
    for (const [name, text] of Object.entries(files)) world.write(join(world.folder, name), text);
    await world.ask("git", "config", "--global", "user.name", "Ada");
    await world.ask("git", "config", "--global", "user.email", "ada@example.com");
    await world.ask("git", "config", "--global", "credential.helper", "store");
    await world.ask("git", "init", "--quiet", "--initial-branch", "main", world.folder);
  });
  afterAll(() => world.close());

  test("I10 a terminal in a sandbox is a terminal: sizes, keys, job control, exit codes, signals", async () => {
    await expectTerminal(world, "sandbox");
  });

  test("I12 node, npm test, a build, python3 and make work, and write the workspace", async () => {
    const { text, exit } = await world.run("npm test && python3 -c 'print(6 * 7)' && make");
    expect(exit.exitCode, text).toBe(0);
    expect(text).toContain("checked\n");
    expect(text).toContain("42");
    expect(readFileSync(join(world.folder, "dist", "out.txt"), "utf8")).toBe("built");
    expect(existsSync(join(world.folder, "made.txt"))).toBe(true);
  });

  test("I12 I81 git tells what changed and commits by the user's name", async () => {
    const { text, exit } = await world.run(
      `
      git status --porcelain && git add --all && git commit --quiet --message first
      echo >> package.json && git diff --stat && git log --format='%an <%ae>' && git ls-files
      git config --list --global; git config user.name Evil; git checkout --quiet -b other && git branch
    `,
      { env: { GIT_PAGER: "cat" } },
    );
    expect(exit.exitCode, text).toBe(0);
    expect(text).toContain("?? package.json");
    // Placeholders are nobody's work.
    expect(text).not.toMatch(/envrc|mcp\.json|pairpty\.config/);
    expect(text).toContain("1 file changed");
    expect(text).toContain("Ada <ada@example.com>");
    expect(text).toMatch(/\* .*other/);
    expect(text).not.toContain("credential.helper");
    expect(readFileSync(join(world.folder, ".git", "config"), "utf8")).not.toContain("Evil");
  });

  test("I19 I89 I90 a worktree or submodule that the user adds while a sandbox runs is out of its reach", async () => {
    const git = (...args: string[]) => world.ask("git", "-C", world.folder, ...args);
    await git("commit", "--quiet", "--allow-empty", "--message", "base");
    const own = join(world.top, "own-worktree");
    const terminal = await world.start([
      "/bin/sh",
      "-c",
      `
      attack() {
        for d in worktrees modules; do
          mkdir -p .git/$d/own-worktree; echo evil > .git/$d/own-worktree/commondir; echo evil > .git/$d/config
          mv .git/$d stolen; rm -rf stolen .git/$d; mkdir .git/$d; ln -s /tmp .git/$d; rm -rf .git/worktrees/.pairpty
        done
      }
      git worktree add /tmp/inside; git status --short > /dev/null && echo status works
      git commit --quiet --allow-empty --message inside && echo commit works
      attack; echo first; read go; attack; echo second; read go; attack; git gc --quiet; echo third; read go
      `,
    ]);
    await terminal.saw("first");
    expect(terminal.text()).toContain("status works");
    expect(terminal.text()).toContain("commit works");
    expect(terminal.text()).toMatch(/fatal: [^\n]*worktrees[^\n]*Read-only file system/);
    await git("worktree", "add", "--quiet", own);
    terminal.type("\r");
    await terminal.saw("second");
    const commondir = join(world.folder, ".git", "worktrees", "own-worktree", "commondir");
    expect(readFileSync(commondir, "utf8")).toBe("../..\n");
    expect(await world.ask("git", "-C", own, "rev-parse", "--git-common-dir")).toContain(
      join(world.folder, ".git"),
    );
    // Git removes an empty folder of worktrees; the next one would be made in the sandbox's.
    await git("worktree", "remove", own);
    await git("gc", "--quiet");
    terminal.type("\r");
    await terminal.saw("third");
    const kept = readdirSync(join(world.folder, ".git", "worktrees"));
    expect(kept).toEqual([".pairpty"]);
    expect(await git("worktree", "list")).not.toContain(".pairpty");
    terminal.type("\r");
    await terminal.exit();
    expect(existsSync(join(world.folder, ".git", "modules"))).toBe(false);
    await world.ask("git", "-C", world.folder, "branch", "--delete", "--force", "own-worktree");
  });

  test("I77 I78 placeholders are there while it runs, and gone when it has ended", async () => {
    const { text } = await world.run("ls -A");
    expect(text).toContain(".envrc");
    for (const name of [".envrc", ".vscode", ".mcp.json", "pairpty.config.json"]) {
      expect(existsSync(join(world.folder, name)), name).toBe(false);
    }
    expect(spawnSync("git", ["-C", world.folder, "status", "--short"]).status).not.toBe(1);
  });

  test("I4 a program that the sandbox does not show is refused by name", async () => {
    const program = join(world.home, "tool");
    world.write(program, "#!/bin/sh\necho hi\n", 0o755);
    await expect(world.start([program])).rejects.toThrow(
      `${program} is not visible in the sandbox. Add its folder to sandbox.readable`,
    );
  });
});

test.skipIf(!isHere)(
  "I2 a wall that is too long for the pty host is refused, with what to do",
  async () => {
    const long = (index: number) => `/nowhere/${String(index).padStart(1_000, "x")}`;
    const readable = Array.from({ length: 64 }, (_, index) => long(index));
    const world = await openIsolation(WHO[0] ?? "plain user", { readable });
    await expect(world.run("true")).rejects.toThrow(/the limit is \d+\. List fewer folders/);
    await world.close();
  },
);

test.skipIf(!isHere)(
  "I4 I8 what the user allows is there: a readable folder, the network",
  async () => {
    const [who = "plain user"] = WHO;
    const world = await openIsolation(who, (top) => ({
      readable: [join(top, "shown"), "/etc/adduser.conf", "/etc/nowhere", "/usr/nowhere"],
      network: "host",
    }));
    world.write(join(world.top, "shown", "file"), "shown\n");
    const { text } = await world.run(
      `cat ${world.top}/shown/file; echo x > ${world.top}/shown/file; grep -c : /proc/net/dev`,
    );
    await world.close();
    expect(text).toMatch(/^shown\n/);
    expect(text).toContain("Read-only file system");
    expect(Number(text.trim().split("\n").at(-1))).toBeGreaterThanOrEqual(1);
  },
);

test.skipIf(!isHere)(
  "I4 I6 a workspace that is the home works, and ours in it stays hidden",
  async () => {
    const [who = "plain user"] = WHO;
    const world = await openIsolation(who, {}, {}, "home");
    world.write(join(world.folder, "mine"), "mine\n");
    const { text } = await world.run(
      "cat mine; ls -A; ls -A state; echo x > state/x; mv state other",
    );
    expect(text).toMatch(/^mine\n/);
    expect(text).not.toContain("isolation");
    expect(text).not.toContain("placeholders");
    expect(existsSync(join(world.folder, "other"))).toBe(false);
    await world.close();
  },
);
