// Proves by generation: a blocked command stays blocked in any nesting of forms, and no text at all
// makes the policy throw or call what it could not read safe.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeArgv, judgeShell } from "./policy.ts";

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

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Ways to write one name. */
const SPELLINGS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => `\\${name}`,
  (name) => `/usr/bin/${name}`,
  (name) => `"${name}"`,
  (name) => `${name.slice(0, 1)}''${name.slice(1)}`,
  (name) => `${name.slice(0, 1)}"${name.slice(1)}"`,
  (name) => `$'\\x${name.charCodeAt(0).toString(16)}${name.slice(1)}'`,
  (name) => `/bin/${name.slice(0, -1)}?`,
  (name) => `\${nothing:-${name}}`,
  (name) => `${name.slice(0, 1)}\${nothing}${name.slice(1)}`,
];

/** Take a simple command, give one. */
const PREFIXES: readonly ((command: string) => string)[] = [
  (command) => `env A=1 ${command}`,
  (command) => `env -u B -- ${command}`,
  (command) => `nice -n 5 ${command}`,
  (command) => `timeout -s KILL 5 ${command}`,
  (command) => `nohup ${command}`,
  (command) => `setsid ${command}`,
  (command) => `stdbuf -oL ${command}`,
  (command) => `command ${command}`,
  (command) => `exec ${command}`,
  (command) => `xargs -n 1 ${command}`,
  (command) => `busybox ${command}`,
  (command) => `strace -f ${command}`,
  (command) => `A=1 ${command}`,
  (command) => `find . -exec ${command} {} \\;`,
  (command) => `${command} > /dev/null`,
];

/** Take any text, give any text. Line breaks keep here-documents whole. */
const FORMS: readonly ((text: string, level: number) => string)[] = [
  (text) => `sh -c ${quote(text)}`,
  (text) => `bash -lc ${quote(text)}`,
  (text) => `env A=1 zsh -c ${quote(text)}`,
  (text) => `timeout 5 bash -o errexit -c ${quote(text)}`,
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
  (text) => `bash <<< ${quote(text)}`,
  (text, level) => `bash <<'END${level}'\n${text}\nEND${level}`,
  (text) => `trap ${quote(text)} EXIT`,
  (text) => `eval ${quote(text)}`,
  (text) => `xargs -I% sh -c ${quote(text)}`,
  (text) => `flock /tmp/l -c ${quote(text)}`,
  (text) => `watch ${quote(text)}`,
  (text) => `npx -c ${quote(text)}`,
  (text) => `npm exec -c ${quote(text)}`,
  (text) => `ssh host ${quote(text)}`,
  (text) => `git -c alias.x=${quote(`!${text}`)} x`,
  (text) => `env -S ${quote(`sh -c ${quote(text)}`)}`,
  (text) => `coproc {\n${text}\n}`,
  (text) => `v=${quote(text)}; bash -c "$v"`,
  (text) => `docker exec c sh -c ${quote(text)}`,
];

const MAX_NESTING = 4;

const hidden = fc
  .record({
    name: fc.constantFrom(...NAMES),
    spelling: fc.constantFrom(...SPELLINGS),
    prefixes: fc.array(fc.constantFrom(...PREFIXES), { maxLength: MAX_NESTING }),
    forms: fc.array(fc.constantFrom(...FORMS), { maxLength: MAX_NESTING }),
  })
  .map(({ name, spelling, prefixes, forms }) => {
    const command = prefixes.reduce((text, prefix) => prefix(text), `${spelling(name)} x`);
    return forms.reduce((text, form, level) => form(text, level), command);
  });

describe("A16 generated", () => {
  it("A16 a blocked command stays blocked in any nesting", () => {
    fc.assert(
      fc.property(hidden, (text) => {
        expect(judgeShell(text).verdict).toBe("blocked");
      }),
      { numRuns: 2000 },
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
    .array(fc.oneof(fc.constantFrom(...TOKENS.split(" ")), fc.string({ unit: "binary" })), {
      maxLength: 40,
    })
    .chain((parts) => fc.constantFrom(" ", "").map((glue) => parts.join(glue)));

  it("A13 no text makes it throw, and what does not parse is never safe", () => {
    fc.assert(
      fc.property(mixed, (text) => {
        const { verdict, why } = judgeShell(text);
        if (why.some((reason) => reason.startsWith("not parsable")))
          expect(verdict).not.toBe("safe");
        expect(judgeArgv(text.split(" ")).why.length).toBeLessThanOrEqual(8);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("A14 bounds", () => {
  const LENGTH = 60_000;
  const fill = (text: string): string => text.repeat(Math.ceil(LENGTH / text.length));

  it.each([
    ["braces", fill("{")],
    ["brace lists", fill("{a,")],
    ["old arithmetic", fill("$[")],
    ["quoted substitutions", fill('"$(')],
    ["parameters", fill("${x:-")],
    ["parentheses", fill("(")],
    ["unclosed quotes", `${fill("'a' ")}'`],
    ["functions", fill("f()")],
    ["wrappers", `${fill("strace ")}ls`],
    ["shells", `${fill("sh -c ")}ls`],
    ["more than 64 KiB", "x".repeat(70_000)],
  ])("A14 %s end, and are not safe", (_name, text) => {
    expect(judgeShell(text).verdict).not.toBe("safe");
  });

  it("A14 a blocked name behind the bound is still blocked", () => {
    expect(judgeShell(`${" ".repeat(70_000)}rm x`).verdict).toBe("blocked");
    expect(judgeShell(`${fill("env ")}rm x`).verdict).toBe("blocked");
    expect(judgeShell(`${fill("{")}; rm x`).verdict).toBe("blocked");
    expect(judgeArgv([...fill("env ").trim().split(" "), "rm", "x"]).verdict).toBe("blocked");
  });

  it("A14 what is too long asks", () => {
    expect(judgeShell(`${" ".repeat(70_000)}ls`).verdict).toBe("dangerous");
  });
});
