// The reasons that people read: ordered, without near-duplicates, in the words of the command.

import { describe, expect, it } from "vitest";
import { judgeArgv, judgeShell } from "./policy.ts";
import { FindingLedger } from "./verdict.ts";

const HERE = { cwd: "/home/u/work/app" };
const why = (line: string): readonly string[] => judgeShell(line, HERE).why;

describe("Q101 order", () => {
  it("Q101 puts the gravest reason first, and a rule before a pattern that only suggests it", () => {
    expect(why("frobnicate; git clean -f; kill 1")).toEqual([
      "`kill` ends processes",
      "`git clean -f` deletes untracked files",
      "`frobnicate` isn't on the safe list",
    ]);
    const ledger = new FindingLedger();
    ledger.note("dangerous", "suggested", { basis: "hint", program: "a" });
    ledger.note("dangerous", "known", { program: "b" });
    expect(ledger.toJudgement().why).toEqual(["known", "suggested"]);
  });
});

describe("Q102 near-duplicates", () => {
  it.each([
    ["git reset --hard", ["`git reset --hard` discards uncommitted changes"]],
    ["git -C x reset --hard HEAD~1", ["`git reset --hard` discards uncommitted changes"]],
    ["rm -rf build", ["`rm -rf` deletes files"]],
    ["sudo ls", ["`sudo` runs as another user"]],
    ["echo x | sh", ["`sh` runs the output of another program"]],
    ["find . -delete", ["`find -delete` deletes files"]],
    ["kubectl delete ns prod", ["`kubectl delete ns` is hard to undo"]],
  ])("Q102 gives one reason for %j", (line, reasons) => {
    expect(why(line)).toEqual(reasons);
  });

  it("Q102 keeps what another sub-command of the line is asked about", () => {
    expect(why("git reset --hard; git frob")).toEqual([
      "`git reset --hard` discards uncommitted changes",
      "`git frob` isn't on the safe list",
    ]);
    expect(why("just; just deploy")).toContain("`just` isn't on the safe list");
  });

  it("Q102 keeps a pattern where no rule about its program is as grave", () => {
    expect(why("echo 'git' reset")).toContain("`git reset` can discard changes");
  });
});

describe("Q103 words", () => {
  it("Q103 names the command by its program, sub-command and options, without operands", () => {
    expect(why("/usr/bin/rm -rf ./my-secret-token")).toEqual(["`rm -rf` deletes files"]);
    expect(why("mysql -phunter2 -e 'drop table x'").join()).not.toContain("hunter2");
    expect(judgeArgv(["npm", "publish", "--tag", "x"], HERE).why).toContain(
      "`npm publish --tag` changes what others install",
    );
  });

  it("Q103 gives a program no options of the command that it runs", () => {
    expect(why("sudo rm -rf /srv")[0]).toBe("`sudo` runs as another user");
    expect(why("sudo -u bob ls -l")).toEqual(["`sudo -u` runs as another user"]);
    expect(why("doas ls -l")).toEqual(["`doas` runs as another user"]);
    expect(why("/usr/bin/sudo -n -- ls -l")).toEqual(["`sudo -n` runs as another user"]);
  });

  it("Q103 says of a written file what is true of it", () => {
    expect(why("echo hi > /etc/passwd")).toEqual([
      "writes to /etc/passwd, which belongs to the system",
    ]);
    expect(why("echo hi > .git/hooks/x")).toEqual([
      "writes to .git/hooks/x, which runs automatically later",
    ]);
    expect(why("echo hi >> /home/u/.ssh/authorized_keys").join()).toContain(
      "which other programs trust",
    );
  });

  it("Q103 keeps a name short, on one line and inside its backticks", () => {
    const { why: reasons } = judgeArgv([`${"x".repeat(99)}\`\ny`], HERE);
    const reason = reasons.find((one) => one.endsWith("isn't on the safe list"));
    expect(reason).toMatch(/^`[^`\n]{1,40}` isn't on the safe list$/);
  });
});

describe("Q105 rules compare kinds", () => {
  it("Q105 a reason that is left out still counts for standing rules", () => {
    const ledger = new FindingLedger();
    ledger.note("dangerous", "`a` deletes", { program: "a", call: "a b" });
    ledger.note("unknown", "`a` isn't on the safe list", { basis: "unlisted", call: "a b" });
    const { why: shown, kinds } = ledger.toJudgement();
    expect(shown).toEqual(["`a` deletes"]);
    expect(kinds).toEqual(["`a` deletes", "`a` isn't on the safe list"]);
  });

  it("Q105 kinds tell options apart where reasons are cut or alike", () => {
    const kinds = (line: string) => judgeShell(line, HERE).kinds;
    expect(kinds("tar tf x")).not.toEqual(kinds("tar tf x --use-compress-program=y"));
    expect(kinds("cargo build")).toEqual(kinds("cargo build --release"));
  });
});
