// Proves that a file-name pattern is judged by what it may expand to: any number of words, each of them
// any matching name.

import { describe, expect, it } from "vitest";
import { judgeShell } from "./policy.ts";

const verdict = (line: string): string => judgeShell(line, { cwd: "/home/u/work/app" }).verdict;

describe("A25 a pattern for file names", () => {
  it.each([
    "uniq src/*",
    "uniq src/a?.txt",
    "uniq src/{a,b}*",
    "uniq a* b",
    "git -C packages/* status",
    "git config index.*",
    "git config user.*",
    "git symbolic-ref refs/heads/m*",
    "git init sub*",
    "npm --prefix packages/* test",
  ])("A25 may be several words: %j", (line) => {
    expect(verdict(line)).toBe("unknown");
  });

  it.each([
    "uniq -f *",
    "find . -name *",
    "find . -name *.ts",
    "sort -k * f",
    "tree -I * .",
    "awk -F * '{print}' f",
    "git commit -m *",
    "git log -n *",
    "git log --grep=x*",
    "npx tsc --noEmit -p *",
    "npx vitest run -t *",
    "npx vitest run -t src/*",
    "diff -x src/* a b",
  ])("A73 is not known as an option's value: %j", (line) => {
    expect(verdict(line)).toBe("unknown");
  });

  it.each([
    "git mv evil/* .",
    "git mv evil/package.* .",
    "git mv evil/v* src",
    "git mv src/?ite.config.ts lib",
    'for f in evil/*; do git mv "$f" .; done',
    "npm run build*",
  ])("A25 is not known where the names themselves count: %j", (line) => {
    expect(verdict(line)).toBe("unknown");
  });

  it.each([
    "for f in src/*; do uniq $f; done",
    "for f in src/*; do find $f; done",
    "for f in src/*; do sort $f; done",
    "for f in src/*; do git diff $f; done",
    "for f in src/*; do npx eslint $f; done",
    "for f in src/*; do git log $f; done",
    "for f in src/*; do sort src/$f; done",
    "for f in *; do sort src/${f}.txt; done",
    "f=src/*; sort $f",
    'a=(src/*); uniq "${a[@]}"',
    'set -- src/*; uniq "$@"',
  ])("A75 A76 an unquoted variable with one may be any words: %j", (line) => {
    expect(verdict(line)).toBe("unknown");
  });

  it.each([
    "ls *.ts",
    "cat src/*",
    "grep x *.ts",
    "wc -l src/*.ts",
    "sort src/*",
    "git diff src/*",
    "git add src/*.ts",
    "git log -n 5 -- src/*",
    "find src/* -name '*.ts'",
    "npx eslint src/*.ts",
    "npx vitest run src/*.test.ts",
    "npx tsc --noEmit src/*.ts",
    "node scripts/report*.js",
    "find . -name '*'",
    "uniq 'src/*'",
    'for f in src/*; do uniq "$f"; done',
    'for f in src/*; do node --check "$f"; done',
    'for f in src/*.ts; do sort "$f" | uniq -c; done',
    "for f in src/*; do cat $f; done",
    "for f in a b; do sort $f; done",
    'for d in packages/*; do (cd "$d" && npm test); done',
    "DEBUG=app:* node server.js",
  ])("A25 A75 stays safe where any number of any names is: %j", (line) => {
    expect(verdict(line)).toBe("safe");
  });
});
