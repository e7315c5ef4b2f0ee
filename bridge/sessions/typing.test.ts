import fc from "fast-check";
import { expect, test } from "vitest";
import { parseKeys } from "./keys.ts";
import { isReader, mentionsShell, takesCommands, takesCommandsByLine } from "./programs.ts";
import type { Pending } from "./typing.ts";
import { isJudged, linesOf, NOTHING_PENDING, readerOf } from "./typing.ts";

const program = (line: string, path = "") => ({ pid: 1, path, argv: line.split(" ") });

test("Y22 a shell that somebody sits at takes commands; one that runs a line or a file does not", () => {
  const shells = [
    "bash",
    "-zsh",
    "bash -i",
    "sh -s",
    "bash --norc",
    "bash --rcfile f -i",
    "dash -",
  ];
  for (const line of shells) expect(takesCommands(program(line)), line).toBe(true);
  const tasks = ["sh -c ls", "bash -lc ls", "bash file", "sh ./x.sh", "bash -x x.sh", "bash -- x"];
  for (const line of tasks) expect(takesCommands(program(line)), line).toBe(false);
  expect(takesCommands(program("sh", "/usr/bin/dash"))).toBe(true);
  expect(takesCommands(program("python3 bash", "/usr/bin/python3"))).toBe(false);
});

test("Y22 what leads to a shell takes commands", () => {
  for (const line of ["ssh host", "docker exec -it x sh", "tmux", "sudo -i", "sudo bash", "su -"]) {
    expect(takesCommands(program(line)), line).toBe(true);
  }
  expect(takesCommands(program("sudo apt install x"))).toBe(false);
  expect(takesCommandsByLine(" bash --norc ")).toBe(true);
  expect(takesCommandsByLine("npm run dev")).toBe(false);
  expect(mentionsShell("sleep 1; exec /bin/bash")).toBe(true);
  expect(mentionsShell("git push && npm test")).toBe(false);
});

test("Y22 a REPL reads its terminal all the time; a script may not", () => {
  for (const line of ["python3", "python3.11 -q", "node", "less x", "vim x", "psql -h db"]) {
    expect(isReader(program(line)), line).toBe(true);
  }
  for (const line of ["python3 x.py", "node x.js", "sleep 5", "cat"]) {
    expect(isReader(program(line)), line).toBe(false);
  }
});

test("Y22 who reads what is typed is told by the foreground and by what waits behind it", () => {
  const around = (front: string[], behind: string[] = []) => ({
    front: front.map((line) => program(line)),
    behind: behind.map((line) => program(line)),
    cwd: "/",
  });
  expect(readerOf(around(["bash"]), "bash")).toBe("commands");
  expect(readerOf(around([]), "cat")).toBe("commands");
  expect(readerOf(around(["sh -c x", "ssh host"]), "ssh host; x")).toBe("commands");
  expect(readerOf(around(["python3"], ["bash"]), "bash")).toBe("other");
  expect(readerOf(around(["sh -c npm", "npm init"]), "npm init")).toBe("other");
  // What is typed ahead is read by the shell behind it.
  expect(readerOf(around(["sleep 5"], ["bash"]), "bash")).toBe("commands behind");
  expect(readerOf(around(["sleep 5"]), "sleep 5; bash")).toBe("commands behind");
});

test("Y22 answers to a question are no commands, unless a shell is asked", () => {
  expect(isJudged("y", "commands behind")).toBe(false);
  expect(isJudged("3\nno\n", "commands behind")).toBe(false);
  expect(isJudged("./x", "commands behind")).toBe(true);
  expect(isJudged("y", "commands")).toBe(true);
  expect(isJudged("", "commands")).toBe(false);
  expect(isJudged("rm -rf x", "other")).toBe(false);
});

const typing = (stdin: string, before: Pending = NOTHING_PENDING) =>
  linesOf(parseKeys(stdin), before);

test("Y22 lines are whole ones, however many calls type them", () => {
  expect(typing("ls\n")).toEqual({ sent: "ls", isEdited: false, pending: NOTHING_PENDING });
  expect(typing("a\nb<Enter>c")).toMatchObject({ sent: "a\nb", pending: { text: "c" } });
  const half = typing("rm -rf");
  expect(half.sent).toBeUndefined();
  expect(typing(" /tmp/x\n", half.pending).sent).toBe("rm -rf /tmp/x");
});

test("Y22 keys that edit a line make it unknown, and those that drop it drop it", () => {
  expect(typing("<C-c>")).toEqual({ sent: undefined, isEdited: false, pending: NOTHING_PENDING });
  expect(typing("rm x<C-c>ls\n").sent).toBe("ls");
  expect(typing("rm x<C-u>ls\n").sent).toBe("ls");
  expect(typing("rmm<BS> x\n").sent).toBe("rm x");
  expect(typing("<Up><Enter>")).toMatchObject({ sent: "", isEdited: true });
  expect(typing("ca<Tab>\n")).toMatchObject({ sent: "ca", isEdited: true });
  // An editor for the line runs it when it is left.
  expect(typing("rm x<C-x><C-e>")).toMatchObject({ sent: "rm x", isEdited: true });
  expect(typing("ls<C-o>").sent).toBe("ls");
  expect(typing("<C-d>").sent).toBeUndefined();
});

test("Y22 however it is split over calls, the same lines are sent", () => {
  const keys = fc.array(fc.constantFrom("a", "b c", "\n", "<Enter>", "<C-c>", "<BS>", "<Up>"));
  fc.assert(
    fc.property(keys, fc.array(fc.nat(3), { minLength: 1 }), (typed, sizes) => {
      const whole = typing(typed.join(""));
      const sent: string[] = [];
      let pending: Pending = NOTHING_PENDING;
      for (let at = 0, turn = 0; at < typed.length; turn++) {
        const size = 1 + (sizes[turn % sizes.length] ?? 0);
        const lines = typing(typed.slice(at, at + size).join(""), pending);
        if (lines.sent !== undefined) sent.push(lines.sent);
        pending = lines.pending;
        at += size;
      }
      expect(sent.length === 0 ? undefined : sent.join("\n")).toBe(whole.sent);
      expect(pending).toEqual(whole.pending);
    }),
  );
});

test("Y22 no key hides what is sent: a changed line stays, a literal key, an end of input and history count", () => {
  const sent = (stdin: string) => {
    const { sent: line, isEdited } = linesOf(parseKeys(stdin), NOTHING_PENDING);
    return { line, isEdited };
  };
  const kept = (stdin: string, part: string) => {
    const { line, isEdited } = sent(stdin);
    expect(line, stdin).toContain(part);
    expect(isEdited, stdin).toBe(true);
  };
  kept("rm victim<Home><C-u>\n", "rm victim");
  kept("rm victim<C-a><C-u>\n", "rm victim");
  kept("rm victim #<C-v><C-u>\n", "rm victim");
  kept("rm victim<Left><C-c>\n", "rm victim");
  kept("rm victim<C-d><C-d>", "rm victim");
  kept("echo a; r<C-d>m victim\n", "m victim");
  kept("ls !!:1:gs/'// '\n", "!!");
  kept("^a^b\n", "^a");
  // A shell removes the whole character, and perhaps what combines with it.
  kept("#\u{1F600}\x7f\x7frm victim\n", "rm victim");
  expect(sent("rm<C-u>ls\n")).toEqual({ line: "ls", isEdited: false });
  expect(sent("lss\x7f\n")).toEqual({ line: "ls", isEdited: false });
  expect(sent("echo hi! there\n").isEdited).toBe(false);
});
