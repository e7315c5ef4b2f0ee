// What the documents name exists: flags, verbs, variables, codes, limits, files and headings.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "../../bridge/cli/main.ts";
import { EXAMPLES } from "../../bridge/cli/help/examples.ts";
import { CLIENTS } from "../../protocol/connect.ts";
import { SETTINGS } from "../../bridge/config/schema.ts";
import { ExitCode } from "../../bridge/errors.ts";
import { MAX_TERMINALS } from "../../bridge/terminals/pool.ts";
import { CloseCode, ErrorCode, FINAL_CLOSE_CODES } from "../../protocol/codes.ts";
import * as limits from "../../protocol/limits.ts";
import { blocksIn, FOLDER_PAGES, PAGES } from "../support/documents.ts";

const ALL = [...PAGES, ...FOLDER_PAGES, "SECURITY.md", "skills/terminals/SKILL.md"];
const program = createProgram();

/** Flags of `pairpty` by itself are those of `start`. */
const START = find(["start"]);

function find(words: readonly string[]): Command | undefined {
  let command: Command | undefined = program;
  for (const word of words) command = command?.commands.find((one) => one.name() === word);
  return command;
}

function parseFlags(command: Command | undefined): string[] {
  return (command?.options ?? []).flatMap(({ long, short }) => [long ?? "", short ?? ""]);
}

const EVERYWHERE = ["--help", "-h", "--version", "-V"];
const OURS = new Set([...EVERYWHERE, ...everyCommand(program).flatMap(parseFlags)]);

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** Commands in running text and in examples, and bare flags in running text. */
function listSpans(page: string): string[] {
  const text = readFileSync(page, "utf8");
  const prose = text.replaceAll(/^( *)```.*\n[^]*?^ *```$/gm, "");
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  const lines = blocksIn(page)
    .filter(({ language }) => language === "sh" || language === "console")
    .flatMap(({ language, text: block }) =>
      block.split("\n").filter((line) => language === "sh" || line.startsWith("$ ")),
    )
    .map((line) => line.replace(/^\$ /, ""));
  return [...spans, ...lines];
}

/** What is wrong with a command line of ours; undefined when nothing is. */
function mistakeIn(span: string): string | undefined {
  const line = /(?:^|[|(] ?|env )(?:npx )?pairpty((?: [^|)]*)?)/.exec(span)?.[1];
  if (line === undefined) {
    // Alone: some verb's. With another program in front: that program's.
    const alone = /^(--?[a-z][a-z-]*)(?:[ =]|$)/.exec(span)?.[1];
    return alone === undefined || OURS.has(alone) ? undefined : `no verb has ${alone}`;
  }
  const words = line.split(/\s+/).filter(Boolean);
  const verb: string[] = [];
  for (const word of words) {
    if (find([...verb, word]) === undefined) break;
    verb.push(word);
  }
  const next = words[verb.length] ?? "";
  const command = find(verb);
  const takesWords = (command?.registeredArguments.length ?? 0) > 0;
  if (/^[a-z]/.test(next) && !takesWords) return `there is no verb ${[...verb, next].join(" ")}`;
  const known = new Set([
    ...EVERYWHERE,
    ...parseFlags(command),
    ...(verb.length === 0 ? parseFlags(START) : []),
  ]);
  const ours = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  const flag = ours.find((word) => /^--?[a-z]/.test(word) && !known.has(word.split("=")[0] ?? ""));
  return flag === undefined ? undefined : `${verb.join(" ") || "pairpty"} has no ${flag}`;
}

/** Flags of other programs that stand alone, because the sentence says whose they are. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  "docs/terminals.md": ["-s"],
  "docs/performance.md": [
    "--full",
    "--only",
    "--omit=optional",
    "--rounds",
    "--json",
    "--peers",
    "--chart",
  ],
};

test.each(ALL)("X2 every flag and verb that %s names is the program's", (page) => {
  const foreign = FOREIGN[page] ?? [];
  const mistakes = listSpans(page)
    .filter((span) => !foreign.some((flag) => span.startsWith(flag)))
    .flatMap((span) => {
      const mistake = mistakeIn(span);
      return mistake === undefined ? [] : [`${span}: ${mistake}`];
    });
  expect(mistakes).toEqual([]);
});

test("X2 every example that help shows is right", () => {
  const mistakes = Object.values(EXAMPLES).flatMap((examples) =>
    examples.map(([command]) => mistakeIn(command)).filter((mistake) => mistake !== undefined),
  );
  expect(mistakes).toEqual([]);
});

test("X2 a flag or verb that does not exist is found", () => {
  expect(mistakeIn("pairpty share --rolle edit")).toContain("--rolle");
  expect(mistakeIn("pairpty shares")).toContain("shares");
  expect(mistakeIn("pairpty config explian")).toContain("explian");
  expect(mistakeIn("--relais")).toContain("--relais");
  expect(mistakeIn("pairpty ls --watch")).toContain("--watch");
  expect(mistakeIn("pairpty shell -- npm run dev --port 1")).toBeUndefined();
  expect(mistakeIn("wrangler deploy --dry-run")).toBeUndefined();
});

test("X22 docs/commands.md lists every verb, and docs/terminals.md every flag of start", () => {
  const commands = readFileSync("docs/commands.md", "utf8");
  for (const verb of program.commands.filter((one) => !hidden(one))) {
    const name = verb.name();
    if (name !== "start" && name !== "help") expect(commands).toContain(`| \`pairpty ${name}`);
  }
  const page = readFileSync("docs/terminals.md", "utf8");
  for (const option of START?.options ?? []) {
    if (!option.hidden) expect(page, option.flags).toContain(`\`${option.long}`);
  }
  const agents = readFileSync("docs/agents.md", "utf8");
  for (const client of CLIENTS) expect(agents).toContain(`| \`${client}\``);
});

function hidden(command: Command): boolean {
  return "_hidden" in command && command._hidden === true;
}

test.each(ALL)("X2 every PAIRPTY_ variable that %s names is one", (page) => {
  const known = new Set([
    ...SETTINGS.flatMap(({ variable }) => variable ?? []),
    "PAIRPTY_CONFIG",
    "PAIRPTY_RELAY_KEY",
    "PAIRPTY_TERMINAL",
    // Of the tests and of the bench.
    "PAIRPTY_REQUIRE",
    "PAIRPTY_BENCH_PEERS",
  ]);
  const named = readFileSync(page, "utf8").match(/PAIRPTY_[A-Z0-9_]*[A-Z0-9]/g) ?? [];
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

const PROTOCOL = readFileSync("docs/protocol.md", "utf8");

/** First cells of the tables below a heading. */
function rows(text: string, heading: string): string[][] {
  const from = text.indexOf(`\n${heading}\n`);
  expect(from, heading).toBeGreaterThan(-1);
  const section = text.slice(from + heading.length + 2).split(/^## /m)[0] ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(([first = ""]) => !/^-+$/.test(first));
}

test("X2 X22 the codes in docs/protocol.md are all codes there are", () => {
  const cells = rows(PROTOCOL, "## Codes");
  const closing = cells.filter(([code = ""]) => /^\d+$/.test(code)).map(([code]) => Number(code));
  expect(closing).toEqual(Object.values(CloseCode));
  const errors = cells.filter(([code = ""]) => /^`[a-z_]+`$/.test(code));
  const documented = Object.fromEntries(
    errors.map(([code = "", status]) => [code.slice(1, -1), Number(status)]),
  );
  expect(documented).toEqual(ErrorCode);
  expect(PROTOCOL).toContain(`**Stop** on ${list([...FINAL_CLOSE_CODES])}:`);
});

test("X2 the exit codes in docs/terminals.md are the program's", () => {
  const codes = rows(readFileSync("docs/terminals.md", "utf8"), "## For scripts")
    .map(([code]) => Number(code))
    .filter((code) => !Number.isNaN(code));
  expect(codes).toEqual([...Object.values(ExitCode), 129]);
});

test("X2 the limits in docs/protocol.md are the program's", () => {
  const { KiB, MiB } = limits;
  const documented = Object.fromEntries(rows(PROTOCOL, "## Limits").slice(1));
  expect(documented).toEqual({
    "one message to the room": `${limits.MAX_PEER_MESSAGE / KiB} KiB`,
    "`data` of one `pty:input`": `${limits.MAX_INPUT_CHARS.toLocaleString("en")} characters`,
    "columns, rows": `1 to ${Math.max(limits.MAX_COLUMNS, limits.MAX_ROWS)}`,
    "columns times rows": limits.MAX_CELLS.toLocaleString("en"),
    "terminals that one socket attaches to": String(limits.MAX_ATTACHED),
    "terminals in a workspace": String(MAX_TERMINALS),
    "sockets in a room": String(limits.MAX_PEERS),
    "sockets of one token": String(limits.MAX_PEERS_PER_GRANT),
    "HTTP requests at once of one token": String(limits.MAX_REQUESTS_PER_GRANT),
    "body of one HTTP request": `${limits.MAX_HTTP_BODY / MiB} MiB`,
    "kept output of a terminal": `${limits.REPLAY_BYTES / MiB} MiB`,
    "`history`": `${limits.HISTORY_BYTES / KiB} KiB`,
    "behind, on one terminal": `${limits.PEER_HARD_CAP / MiB} MiB`,
    "behind, in all": `${limits.PEER_TOTAL_CAP / MiB} MiB`,
    "sent without an answer to `pairpty:ping`": `${limits.UNPROVEN_BYTES / MiB} MiB`,
    "messages a second of one socket": String(limits.PEER_MESSAGES_PER_SECOND),
  });
});

const pagesIn = (folder: string): string[] =>
  readdirSync(folder).map((name) => `${folder}/${name}`);
const UNDER_DOCS = [...pagesIn("docs/decisions"), ...pagesIn("docs/spec")];

test.each([...ALL, ...UNDER_DOCS, "SPEC.md", "CHANGELOG.md"])(
  "X23 every link of %s leads somewhere",
  (page) => {
    const text = readFileSync(page, "utf8").replaceAll(/^( *)```.*\n[^]*?^ *```$/gm, "");
    const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => !leads(page, target));
    expect(broken).toEqual([]);
  },
);

const OWN_FOLDER = /^(?:bridge|protocol|relay|web|test|bench|scripts|docs|skills)\/[\w./-]*$/;

test.each(ALL)("X2 every file of ours that %s names is there", (page) => {
  const named = listSpans(page).filter((span) => OWN_FOLDER.test(span));
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

function leads(page: string, target: string): boolean {
  const [path = "", heading] = target.split("#");
  const file = path === "" ? page : normalize(join(dirname(page), path));
  if (!existsSync(file)) return false;
  if (heading === undefined) return true;
  return statSync(file).isFile() && listHeadings(file).has(heading);
}

/** As GitHub makes anchors of headings. */
function listHeadings(file: string): Set<string> {
  const headings = readFileSync(file, "utf8").match(/^#+ .*$/gm) ?? [];
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/^#+ /, "")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\- _]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

function list(codes: readonly number[]): string {
  return `${codes.slice(0, -1).join(", ")} and ${codes.at(-1)}`;
}
