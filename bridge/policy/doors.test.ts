// Proves which calls ask a person although `terminal.safeCommands` has their program: those that send
// something out, and those that print secrets.

import { describe, expect, it } from "vitest";
import { DEFAULT_LISTS, toServiceLists } from "./command-lists.ts";
import { judgeShell, type PolicyContext } from "./policy.ts";

const HERE: PolicyContext = { cwd: "/home/u/work/app", home: "/home/u" };

const OUTWARD = [
  "git push",
  "git push origin main",
  "git push -u origin feature/retry",
  "git push --tags",
  "git add -A && git commit -m x && git push",
  "npm install lodash",
  "npm i -D @types/node",
  "npm add left-pad@1.0.0",
  "yarn add react",
  "bun add zod",
  "bun install zod",
];

const SECRETS = [
  "cat ~/.ssh/id_rsa",
  "cat $HOME/.ssh/id_ed25519",
  "cat /home/u/.aws/credentials",
  "head -5 ~/.config/gh/hosts.yml",
  "tail ~/.netrc",
  "cat ~/.npmrc",
  "cat .npmrc",
  "cat .env",
  "cat .env.local",
  "cat config/.env.production",
  "grep KEY .env",
  "grep -rn token ~/.config/gcloud",
  "grep -r password ~",
  "grep -r password /home",
  "cat /etc/shadow",
  "cat /root/.bashrc",
  "cat /home/bob/notes.txt",
  "cat ~bob/notes.txt",
  "cat server.pem",
  "cat certs/private.key",
  "cat *.pem",
  "cat ~/.s*/id_*",
  "cat ~/.docker/config.json",
  "cat ~/.kube/config",
  "cat ~/.m2/settings.xml",
  "cat ~/.gradle/gradle.properties",
  "cat ~/.composer/auth.json",
  "cat ~/.codex/auth.json",
  "cat ~/.claude.json",
  "cat ~/.claude/.credentials.json",
  "cat .envrc",
  "sort ~/.git-credentials",
  "awk '{print}' ~/.pgpass",
  "diff ~/.bash_history /dev/null",
  "wc -l < ~/.ssh/id_rsa",
  "cat < .env",
  "cat /proc/self/environ",
  "cat /proc/1234/environ",
  "cd ~/.ssh && cat config",
  "git diff --no-index /dev/null .env",
  "git show HEAD:.env",
  'for f in ~/.ssh/*; do head -1 "$f"; done',
];

const ORDINARY = [
  "git push --dry-run",
  "npm install",
  "npm ci",
  "npm update lodash",
  "npm uninstall lodash",
  "yarn install",
  "yarn remove react",
  "bun install",
  "cat .env.example",
  "grep -v '^#' .env.sample",
  "touch .env",
  "ls -la ~/.ssh",
  "ls .env",
  "test -f .env && echo yes",
  "[ -f ~/.ssh/id_rsa ] && echo key",
  "echo .env",
  "git add .env",
  "git status .env",
  "git check-ignore .env",
  "grep -n .env .gitignore",
  "grep -rn id_rsa docs",
  "grep -rn 'process.env' src",
  "awk '/.env/' README.md",
  "cat ~/.ssh/id_rsa.pub",
  "cat ~/notes.txt",
  "cat /home/u/other/a.ts",
  "cat src/credentials/index.ts",
  "cat src/key.ts",
  "cat src/auth.ts",
  "cat gradle.properties",
  "cat settings.xml",
  "cat /etc/hosts",
  "find . -name .env",
  "git log -- .env.example",
];

describe("A27 at the doors", () => {
  it.each(OUTWARD)("A27 A83 %j goes outward: unknown, and its level stays", (line) => {
    expect(judgeShell(line, HERE)).toMatchObject({ verdict: "unknown", level: "safe" });
  });

  it.each(SECRETS)("A80 A81 A83 %j shows secrets: unknown, and its level stays", (line) => {
    expect(judgeShell(line, HERE)).toMatchObject({ verdict: "unknown", level: "safe" });
  });

  it.each(ORDINARY)("A27 A82 %j does neither", (line) => {
    expect(judgeShell(line, HERE).verdict).toBe("safe");
  });

  it("A27 A80 says which file, and that it may hold secrets", () => {
    expect(judgeShell("cat ~/.ssh/id_rsa", HERE).why).toEqual(["~/.ssh/id_rsa may hold secrets"]);
    expect(judgeShell("git push", HERE).why).toEqual(["`git push` sends commits to other people"]);
    expect(judgeShell("npm i x", HERE).why).toEqual([
      "`npm i` installs packages that may be new to this project",
    ]);
  });

  it("A80 a program that is not known has a kind of its own where it reads secrets", () => {
    const kinds = (line: string) => judgeShell(line, HERE).kinds;
    expect(kinds("frob a.txt")).not.toEqual(kinds("frob .env"));
  });

  it("A83 pairpty/service uses only the default lists", () => {
    const lists = toServiceLists(DEFAULT_LISTS);
    for (const line of [...OUTWARD, ...SECRETS])
      expect(judgeShell(line, { ...HERE, lists }).verdict, line).toBe("safe");
  });
});
