// Proves with generated commands: a blocked command stays blocked in any nesting, and no text makes the
// policy throw or call unreadable text safe.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { singleQuote } from "../../protocol/formats.ts";
import {
  BUILDERS,
  CODE_WRAPPERS,
  LINE_VARIABLES,
  OTHER_VARIABLES,
  SPELLINGS,
  TEXT_WRAPPERS,
  WRAPPERS,
} from "../../test/support/evasions.ts";
import { judgeArgv, judgeShell, type PolicyContext } from "./policy.ts";
import { anyCharacter } from "../../test/support/any-character.ts";
import { runs } from "../../test/support/property-runs.ts";

const NAMES = [
  "rm",
  "sudo",
  "chmod",
  "chown",
  "dd",
  "kill",
  "pkill",
  "killall",
  "reboot",
  "mkfs.ext4",
];

/** Names that a variable can hold in two parts: words without a dot. */
const WORD_NAMES = NAMES.map((name) => name.slice(0, name.includes(".") ? 4 : undefined));

/**
 * Wrappers that can be nested: without quotes, with the command as the rest of the line, and with a
 * rule. Inside an unlisted wrapper the policy does not see what another unlisted one runs.
 */
const NESTABLE = WRAPPERS.filter(
  (wrapper) =>
    /^[^'"!]*@$/.test(wrapper) &&
    !/^(?:coproc|repeat|\/lib|frob|heroku|railway|limactl|multipass)/.test(wrapper),
);
/** Wrappers that take a word which a shell has expanded. */
const WORD_WRAPPERS = NESTABLE.filter((wrapper) =>
  /^(?:env|nice|timeout|xargs|command|strace|find)/.test(wrapper),
);

/** Forms that take any text and return text. Line breaks keep here-documents complete. */
const FORMS: readonly ((text: string, level: number) => string)[] = [
  (text) => `sh -c ${singleQuote(text)}`,
  (text) => `bash -lc ${singleQuote(text)}`,
  (text) => `env A=1 zsh -c ${singleQuote(text)}`,
  (text) => `timeout 5 bash -o errexit -c ${singleQuote(text)}`,
  (text) => `(\n${text}\n)`,
  (text) => `{\n${text}\n}`,
  (text) => `if true; then\n${text}\nfi`,
  (text) => `while\n${text}\ndo ls; done`,
  (text) => `for i in 1; do\n${text}\ndone`,
  (text) => `case x in x)\n${text}\n;; esac`,
  (text) => `f() {\n${text}\n}; f`,
  (text) => `ls; ${text}`,
  (text) => `ls && ${text}`,
  (text) => `ls\n${text}`,
  (text) => `ls | {\n${text}\n}`,
  (text) => `echo $(\n${text}\n)`,
  (text) => `cat <(\n${text}\n)`,
  (text) => `bash <<< ${singleQuote(text)}`,
  (text, level) => `bash <<'END${level}'\n${text}\nEND${level}`,
  (text) => `trap ${singleQuote(text)} EXIT`,
  (text) => `eval ${singleQuote(text)}`,
  (text) => `xargs -I% sh -c ${singleQuote(text)}`,
  (text) => `flock /tmp/l -c ${singleQuote(text)}`,
  (text) => `watch ${singleQuote(text)}`,
  (text) => `npx -c ${singleQuote(text)}`,
  (text) => `npm exec -c ${singleQuote(text)}`,
  (text) => `ssh host ${singleQuote(text)}`,
  (text) => `git -c alias.x=${singleQuote(`!${text}`)} x`,
  (text) => `env -S ${singleQuote(`sh -c ${singleQuote(text)}`)}`,
  (text) => `coproc {\n${text}\n}`,
  (text) => `v=${singleQuote(text)}; bash -c "$v"`,
  (text) => `docker exec c sh -c ${singleQuote(text)}`,
];

const MAX_NESTING = 4;

/** Replaces `@` or `%`; not with `replace`, which would interpret `$` in the text. */
const fill = (row: string, sign: string, text: string): string => row.split(sign).join(text);
const wrap = (wrapper: string, command: string): string => fill(wrapper, "@", command);

/** All combinations would repeat the same few decisions thousands of times, so each row takes the next few. */
const PER_ROW = 2;
function inTurn<T>(all: readonly T[], row: number): T[] {
  return Array.from({ length: PER_ROW }, (_, at) => all[(row * PER_ROW + at) % all.length]).flatMap(
    (one) => (one === undefined ? [] : [one]),
  );
}

/** Returns a name with its arguments, so that all kinds of arguments occur. */
const nameAt = (index: number): string => NAMES[index % NAMES.length] ?? "rm";
const spelled = (index: number): string =>
  SPELLINGS[index % SPELLINGS.length]?.(nameAt(index)) ?? "rm";

const hidden = fc
  .record({
    name: fc.constantFrom(...NAMES),
    spelling: fc.constantFrom(...SPELLINGS),
    prefixes: fc.array(fc.constantFrom(...NESTABLE), { maxLength: MAX_NESTING }),
    forms: fc.array(fc.constantFrom(...FORMS), { maxLength: MAX_NESTING }),
  })
  .map(({ name, spelling, prefixes, forms }) => {
    const command = prefixes.reduce((text, prefix) => wrap(prefix, text), `${spelling(name)} x`);
    return forms.reduce((text, form, level) => form(text, level), command);
  });

/** Returns every line that is not blocked, so that one run reports them all. */
function passing(lines: readonly string[], context: PolicyContext = {}): string[] {
  return lines.filter((line) => judgeShell(line, context).verdict !== "blocked");
}

describe("A16 the tables multiplied", () => {
  it("A16 every wrapper, with every name and every spelling in turn", () => {
    const lines = WRAPPERS.flatMap((wrapper, row) => [
      ...inTurn(NAMES, row).map((name) => wrap(wrapper, `${name} x`)),
      ...(wrapper.includes("'")
        ? []
        : inTurn([...SPELLINGS.keys()], row).map((index) => wrap(wrapper, `${spelled(index)} x`))),
    ]);
    expect(passing(lines)).toEqual([]);
  });

  it("A16 every text that is run, in every spelling", () => {
    const lines = TEXT_WRAPPERS.flatMap((wrapper, row) => [
      ...inTurn(NAMES, row).map((name) => fill(wrapper, "%", singleQuote(`${name} x`))),
      ...SPELLINGS.slice(0, 3).map((spelling) =>
        fill(wrapper, "%", singleQuote(`${spelling(nameAt(row))} x`)),
      ),
    ]);
    expect(passing(lines)).toEqual([]);
  });

  it("A16 every text that is code", () => {
    const lines = CODE_WRAPPERS.flatMap((wrapper, row) =>
      inTurn(NAMES, row).map((name) => fill(wrapper, "%", singleQuote(`system("${name} x")`))),
    );
    expect(passing(lines)).toEqual([]);
  });

  it("A16 every way to build a name, alone and in wrappers", () => {
    const lines = BUILDERS.flatMap((build, row) =>
      inTurn(WORD_NAMES, row).flatMap((name, index) => {
        const { first, word } = build(name.slice(0, 1), name.slice(1));
        const wrapper = WORD_WRAPPERS[(row * PER_ROW + index) % WORD_WRAPPERS.length] ?? "@";
        return [`${first}; ${word} x`, `${first}; ${wrap(wrapper, `${word} x`)}`];
      }),
    );
    expect(passing(lines)).toEqual([]);
  });

  it("A16 every variable whose value is run, however it is set", () => {
    const lines = LINE_VARIABLES.flatMap((name, row) => {
      const value = singleQuote(`${nameAt(row)} x`);
      return [
        `${name}=${value} git log`,
        `env ${name}=${value} git log`,
        `export ${name}=${value}; git log`,
        `declare -x ${name}=${value}`,
        `sh -c ${singleQuote(`${name}=${value} git log`)}`,
      ];
    });
    const others = OTHER_VARIABLES.flatMap((row, index) =>
      inTurn(NAMES, index).map((name) => `${fill(row, "%", singleQuote(`${name} x`))} git log`),
    );
    expect(passing([...lines, ...others])).toEqual([]);
    const fromRequest = LINE_VARIABLES.filter(
      (name) => judgeArgv(["ls"], { env: { [name]: "rm x" } }).verdict !== "blocked",
    );
    expect(fromRequest).toEqual([]);
  });
});

describe("A16 generated", () => {
  it("A16 a blocked command stays blocked in any nesting", () => {
    fc.assert(
      fc.property(hidden, (text) => {
        expect(judgeShell(text).verdict).toBe("blocked");
      }),
      runs(250),
    );
  });

  const ARGV_PREFIXES = [
    ["env", "A=1"],
    ["nice", "-n", "5"],
    ["timeout", "5"],
    ["xargs", "-0"],
    ["busybox"],
    ["stdbuf", "-oL"],
    ["npx"],
    ["unshare", "-r"],
    ["docker", "run", "alpine"],
  ];

  it("A16 without a shell, too", () => {
    const argv = fc
      .tuple(
        fc.array(fc.constantFrom(...ARGV_PREFIXES), { maxLength: MAX_NESTING }),
        fc.constantFrom(...NAMES),
      )
      .map(([prefixes, name]) => [...prefixes.flat(), `/usr/bin/${name}`, "x"]);
    fc.assert(
      fc.property(argv, (words) => {
        expect(judgeArgv(words).verdict).toBe("blocked");
      }),
    );
  });

  const TOKENS =
    "' \" ` \\ $ ${ } $( ) $(( )) ( { ; & && || | |& < > << <<< <( # * ? [ ] [[ ]] = a=b ls rm if then fi for in do done case esac \n \r \0 \t ~ ! @ % -c bash -- /dev/ é 𝒳 \uE000 \u202E";
  const mixed = fc
    .array(fc.oneof(fc.constantFrom(...TOKENS.split(" ")), fc.string({ unit: anyCharacter })), {
      maxLength: 40,
    })
    .chain((parts) => fc.constantFrom(" ", "").map((glue) => parts.join(glue)));

  it("A13 no text makes it throw, and what does not parse is never safe", () => {
    fc.assert(
      fc.property(mixed, (text) => {
        const { verdict, why } = judgeShell(text);
        if (why.some((reason) => reason.startsWith("not valid shell syntax")))
          expect(verdict).not.toBe("safe");
        expect(judgeArgv(text.split(" ")).why.length).toBeLessThanOrEqual(8);
      }),
      runs(400),
    );
  });
});

describe("A14 bounds", () => {
  const LENGTH = 60_000;
  const long = (text: string): string => text.repeat(Math.ceil(LENGTH / text.length));

  it.each([
    ["braces", long("{")],
    ["brace lists", long("{a,")],
    ["old arithmetic", long("$[")],
    ["quoted substitutions", long('"$(')],
    ["parameters", long("${x:-")],
    ["parentheses", long("(")],
    ["unclosed quotes", `${long("'a' ")}'`],
    ["functions", long("f()")],
    ["wrappers", `${long("strace ")}ls`],
    ["shells", `${long("sh -c ")}ls`],
    ["more than 64 KiB", "x".repeat(70_000)],
  ])("A14 %s end, and are not safe", (_name, text) => {
    expect(judgeShell(text).verdict).not.toBe("safe");
  });

  it("A50 a blocked name behind the bound is still blocked", () => {
    expect(judgeShell(`${" ".repeat(70_000)}rm x`).verdict).toBe("blocked");
    expect(judgeShell(`${long("env ")}rm x`).verdict).toBe("blocked");
    expect(judgeShell(`${long("{")}; rm x`).verdict).toBe("blocked");
    expect(judgeArgv([...long("env ").trim().split(" "), "rm", "x"]).verdict).toBe("blocked");
  });

  it("A14 what expands too often asks, in one text or in several", () => {
    const why = expect.arrayContaining(["too long or too deeply nested to check"]);
    const often = { verdict: "dangerous", why };
    expect(judgeShell("a=$a$a;".repeat(8_000))).toMatchObject(often);
    expect(judgeShell(`sh -c '${"a=$a$a;".repeat(1_000)}';`.repeat(3))).toMatchObject(often);
    expect(judgeShell("echo $a; ".repeat(100)).why).not.toEqual(why);
  });

  it("A14 what is too long asks", () => {
    expect(judgeShell(`${" ".repeat(70_000)}ls`).verdict).toBe("dangerous");
  });
});
