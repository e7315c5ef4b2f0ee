// `npm run check` reads the names and comments of the product's sources: a folder whose language is
// plain stays plain. Pure but for the end.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PARTS = new Set(["bridge", "protocol", "relay", "web"]);

/** Names that a reader cannot guess, with what to write instead. */
const NAMES = [
  // `wish:` as a key is the shell of Tk.
  [/\b\w*[Ww]ish\b(?!: \{ flags)/g, "write *Options, *Request or *Deps"],
  [/\b(?:interface|type|class) (\w+(?:Parts|Ground))\b/g, "write *Deps"],
  [/\b(?:MOST|LEAST)_\w+/g, "write MAX_ or MIN_"],
  [/^(?:export )?(?:async )?function (\w+Of)\b/gm, "begin with a verb: get, find, to, format"],
];

/** Patterns that make a reader stop; a comment that two of them hit needs a second reading. */
const RIDDLES = [
  /\b(?:some|no|any|every)body\b|\bwhom?ever\b/i,
  /\b(?:tells?|told|says?|said|hears?|heard|asks?|asked)\b/i,
  /(?:^|[.;:] )(?:What|Whoever|Whatever|How|Who)\b[^.;?]*\b(?:is|are|was|has|gets|goes|stays|ends|waits|knows|comes|may|can|must|takes|needs|costs)\b/,
  /^(?:Of|By|Behind|Beyond|Below|Beside|With|Only|Also|Then|Last|Elsewhere|Before|At) /,
  /\b(?:from (?:now|then|there) on|anew|lately|alike|as good as|as far as|no more|any more|by itself|at last|after all|now and then|on end)\b/i,
  /\b(?:is|are) another\b|another than|nothing but|\bis no \w+/i,
  /\b(?:to|can) be had\b|\bis ended\b|\bknows? of\b|held against/i,
  /\bseed 00\d|\bthe seed\b|\bthe issue\b/i,
];

const DOC = /\/\*\*\s*([\s\S]*?)\*\/\s*\n\s*([^\n]*)/g;
const FUNCTION =
  /^(?:export )?(?:async )?function |^(?:static |async |get |override |readonly )*#?\w+\(|=> ?[{(]?/;
const VERB_FIRST = /^[A-Z][a-z]+s\b|^(?:Whether|True|Undefined|False)\b|^`/;

/** Shares of a folder's comments; a small folder may have one exception. */
const MAX_WITHOUT_VERB = 0.1;
const MAX_RIDDLES = 0.03;

/** Returns what a file's names and comments have that a reader stops at. */
export function readLanguage(file, source) {
  const at = (index) => `${file}:${source.slice(0, index).split("\n").length}`;
  const names = NAMES.flatMap(([pattern, advice]) =>
    [...source.matchAll(pattern)].map(
      (match) => `${at(match.index)} ${match[1] ?? match[0]}: ${advice}`,
    ),
  );
  const withoutVerb = [];
  const riddles = [];
  let comments = 0;
  let functions = 0;
  for (const { 1: doc, 2: code, index } of source.matchAll(DOC)) {
    const text = doc.replaceAll(/(?:^|\n\s*)\*\s?/g, " ").trim();
    comments += 1;
    if (RIDDLES.filter((pattern) => pattern.test(text)).length >= 2) {
      riddles.push(`${at(index)} needs a second reading: ${text}`);
    }
    if (!FUNCTION.test(code)) continue;
    functions += 1;
    if (!VERB_FIRST.test(text)) withoutVerb.push(`${at(index)} begins without a verb: ${text}`);
  }
  return { names, withoutVerb, riddles, comments, functions };
}

/** A source that a comment names: `desk.ts`, `people/devices.ts`; not a pattern such as `*-settings.ts`. */
const NAMED_SOURCE = /(?<![\w./@*-])((?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.tsx?)\b/g;

/** Returns a line for each source that a comment names and that does not exist. */
export function findMissingSources(file, source, sources) {
  return source.split("\n").flatMap((line, index) => {
    const comment = /^\s*(?:\/\/|\/?\*)(.*)/.exec(line)?.[1] ?? "";
    return [...comment.matchAll(NAMED_SOURCE)]
      .map(([, name]) => name)
      .filter((name) => !sources.some((path) => `/${path}`.endsWith(`/${name}`)))
      .map((name) => `${file}:${index + 1} names ${name}, which does not exist`);
  });
}

/** Returns a folder's findings as lines; none where it is within its shares. */
export function judgeFolder(files) {
  const sum = (count) => files.reduce((total, file) => total + count(file), 0);
  const beyond = (lines, share, of) => (lines.length > Math.max(1, share * of) ? lines : []);
  return [
    ...files.flatMap(({ names }) => names),
    ...beyond(
      files.flatMap(({ withoutVerb }) => withoutVerb),
      MAX_WITHOUT_VERB,
      sum(({ functions }) => functions),
    ),
    ...beyond(
      files.flatMap(({ riddles }) => riddles),
      MAX_RIDDLES,
      sum(({ comments }) => comments),
    ),
  ];
}

/** Returns a source's folder: `bridge/policy`, `relay/room`, `protocol`. */
export function toFolder(file) {
  return file.split("/").slice(0, -1).slice(0, 2).join("/");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sources = execFileSync("git", ["ls-files", "*.ts", "*.tsx"], { encoding: "utf8" }).split(
    "\n",
  );
  const files = sources.filter((file) => PARTS.has(file.split("/")[0]) && !/\.test\./.test(file));
  const folders = groupByFolder(files);
  const findings = [...folders.values()].flatMap((group) =>
    judgeFolder(group.map((file) => readLanguage(file, readFileSync(file, "utf8")))),
  );
  const missing = files.flatMap((file) =>
    findMissingSources(file, readFileSync(file, "utf8"), sources),
  );
  findings.push(...missing);
  for (const line of findings) process.stdout.write(`${line}\n`);
  process.exit(findings.length === 0 ? 0 : 1);
}

function groupByFolder(files) {
  const folders = new Map();
  for (const file of files)
    folders.set(toFolder(file), [...(folders.get(toFolder(file)) ?? []), file]);
  return folders;
}
