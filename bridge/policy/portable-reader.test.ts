import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeShell } from "./policy.ts";
import { readPortably } from "./portable-reader.ts";
import { isAtLeastVerdict } from "./verdict.ts";
import { runs } from "../../test/support/property-runs.ts";

/** Each is harmless as bash reads it. */
const READ_DIFFERENTLY: Readonly<Record<string, readonly string[]>> = {
  "quotes of bash": [
    "echo $'\\'; canary; id #'",
    'echo $"a"; ls',
    "echo a$'b' c",
    "grep $'\\t' f",
    "for f in $'a'; do ls; done",
  ],
  "redirects of bash": [
    "echo hi &>/dev/null canary X",
    "echo hi &>>/dev/null canary X",
    "npm test &> /dev/null",
    "echo 12>/dev/null",
    "echo hi >&/dev/null\nls",
    "cat <<<'a\nb'",
    "diff <(ls) <(ls a)\nls",
  ],
  "separators of zsh and bash": ["ls &! ls", "case a in a) ls ;& b) ls;; esac"],
  "comments, which an interactive zsh may not have": [
    "ls # ; canary",
    "ls # | canary",
    "ls #'\necho '; canary #'",
    "ls;# ; canary",
    "ls # > w",
    "ls # don't",
    "uniq a # b",
    "# a; canary\nls",
  ],
  "expansions of zsh": [
    "ls ${(e)x}",
    'echo "${(e)x}"',
    "echo ${=x} ",
    "echo ${~x}",
    "echo ${^x}",
    "echo ${${x}}",
    "echo $~x",
    "echo $=x",
    "echo $^x",
    "echo $+x",
    "echo $x[1]",
    'echo "$x[1]"',
    "git show $x:src/a.ts",
    "echo $#x",
    "echo $10",
    "cat =ls",
    "x==ls ls",
    "echo ~+",
    "cat <1-2>/dev/null",
    "cat <<E\n${(e)x}\nE",
  ],
  "expansions of bash": ["ls $[1+1]", "echo ${x@Q}", "echo ${!x}", "echo ${x[0]}"],
  "words that some shells take for syntax": [
    "echo }",
    "{ ls }; }",
    "echo a,b}",
    "ls() { cat; }",
    "function ls { cat; }",
    "select x in a; do ls; done",
    "coproc ls",
  ],
  "assignments that dash does not know": ["a+=b ls", "a=(b) ls", "a[0]=b ls"],
  "names that split or expand in some shells only": ["{ls,-l}", "for c in 'ls -l'; do $c; done"],
  "lines that go on inside a word": [
    "l\\\ns",
    "ls &\\\n& ls",
    "ls \\\n# a",
    "cat <<E\na\\\nE\nls\nE",
  ],
  "here-documents with odd ends": [
    "cat <<'a b'\nx\na b",
    "cat <<E'F'\nx\nEF",
    "cat <<E 'a\nE\nb'\nx\nE",
  ],
};

describe("A19 what shells read differently is at least unknown", () => {
  it.each(Object.entries(READ_DIFFERENTLY))("A59 A60 A61 A62 %s", (_kind, lines) => {
    expect(lines.filter((line) => !isAtLeastVerdict(judgeShell(line).verdict, "unknown"))).toEqual(
      [],
    );
  });

  it("A59 says so in plain words", () => {
    expect(judgeShell("echo hi &>/dev/null canary X").why).toEqual([
      "shells read this line differently: &>",
    ]);
    expect(judgeShell("ls # ; canary").why).toEqual([
      expect.stringMatching(/^shells read this line differently: #/),
    ]);
  });

  it("A37 A61 the strictest reading holds where it is worse", () => {
    expect(judgeShell("echo $'\\'; rm victim #'").verdict).toBe("blocked");
    expect(judgeShell("ls # ; rm victim").verdict).toBe("blocked");
    expect(judgeShell("echo hi &>/dev/null; rm victim").verdict).toBe("blocked");
  });

  it.each([
    "ls # the sources",
    "# the sources\nls -la",
    'echo "a $HOME/b:$PATH" ${x:-$HOME/.config} ${f%.ts}.js ${f##*/} "$@" $1 $? $#',
    "grep 'it'\\''s $5' f && grep \"foo$\" f || echo none",
    "git show HEAD^ HEAD~2 HEAD@{1} stash@{0}",
    'for f in src/**/*.ts; do (cd x && head -5 "$f") 2>/dev/null; done | sort',
    "if ls a; then echo b; else echo c; fi",
    'case "$x" in a|b) ls;; *) pwd;; esac',
    "npm test 2>&1 | tail -20 >/dev/null",
    "npm test |& tail -20",
    "npm test >& /dev/null",
    "grep foo <<< bar",
    "diff <(sort a) <(sort b)",
    "ls src/{a,b}.ts",
    "echo $((1 + 2)) ${x/a/b} ${x:0:1} ${x^^}",
    "git log \\\n  --oneline \\\n  -5",
    "cat <<EOF | head\n$HOME ${x:-a}\nEOF\nls",
    "git commit -F - <<'MSG'\nfix: it's \"$5\nMSG",
    "{ ls; pwd; }",
    "time npm test; ! ls",
    "awk '!seen[$0]++ {print $1}' f",
    'git commit -m "feat!: less"',
    "CI=1 npm test -- --grep='a b'",
  ])("A12 A19 A60 what they read alike stays safe: %j", (line) => {
    expect(judgeShell(line)).toMatchObject({ verdict: "safe", level: "safe" });
  });
});

describe("A21 lines that are typed", () => {
  it.each([
    "echo !canary",
    'echo "!canary"',
    "echo !!",
    "echo 'a\\' ; canary '\\'",
    "ls \\x2e",
    "cat <<E\ncanary\nE",
    'echo "hello!" "; canary; "',
    "for x[[ in a; do ls '\ncanary\n'; done",
  ])("A21 ask where a history or fish reads them: %j", (line) => {
    expect(judgeShell(line, { isTyped: true }).verdict).toBe("unknown");
  });

  it.each([
    "find . ! -name x",
    "echo 'hello!' \"hello! you\"",
    "awk '!a[$0]++' f",
    "ls \\; 'a\\\\'",
  ])("A21 are safe where nothing is expanded: %j", (line) => {
    expect(judgeShell(line, { isTyped: true }).verdict).toBe("safe");
  });
});

describe("A14 one pass", () => {
  const LENGTH = 64_000;
  it.each([
    ..."' \" $ ${ ${x:-a ${x:-$a $(( $((1 # { } ( ) < > << <<E & | ; \\ = ~ ! é".split(" "),
    ..."'a' \"$x\" <<E\n ls;# {a,b} <( (ls); \\\n \n \t a>b 1>b".split(" "),
    "# \n",
  ])("A14 64 KiB of %j are read to an end", (part) => {
    const { comments } = readPortably(part.repeat(LENGTH / part.length), true);
    expect(comments.length).toBeLessThanOrEqual(LENGTH);
  });

  it("A13 A19 no text makes it throw", () => {
    const parts = "' \" $ ${ } ( ) < << <<E # \\ \n E & | ; = ! a".split(" ");
    const text = fc.array(fc.constantFrom(...parts, " ", "\n")).map((some) => some.join(""));
    fc.assert(
      fc.property(text, fc.boolean(), (line, isTyped) => {
        expect(readPortably(line, isTyped)).toHaveProperty("comments");
      }),
      runs(1_000),
    );
  });
});
