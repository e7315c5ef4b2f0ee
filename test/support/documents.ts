// Owns reading the documents' examples, and running them as they stand: `pairpty`, and `npx pairpty`,
// are the build.

import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Place } from "./product.ts";
import { CLI } from "./product.ts";
import { within } from "./waiting.ts";

/** Whose examples are run. */
export const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync("docs")
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** Pages about one source folder, beside the code: short, and without examples that are run. */
export const FOLDER_PAGES = ["bridge", "protocol", "relay", "web"].flatMap((part) =>
  readdirSync(part, { recursive: true, encoding: "utf8" })
    .filter((name) => basename(name) === "README.md")
    .map((name) => join(part, name)),
);

export interface Block {
  readonly page: string;
  /** Of its first fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page, in order; those in lists lose their indentation. */
export function blocksIn(page: string): Block[] {
  const text = readFileSync(page, "utf8");
  const fenced = /^( *)```(.*)\n([^]*?)^ *```$/gm;
  return [...text.matchAll(fenced)].map((match) => {
    const [, indentation = "", language = "", body = ""] = match;
    const line = text.slice(0, match.index).split("\n").length;
    return { page, line, language, text: body.replaceAll(new RegExp(`^${indentation}`, "gm"), "") };
  });
}

/** The fenced blocks of one language, in order. */
export function listBlocks(page: string, language: string): string[] {
  return blocksIn(page)
    .filter((block) => block.language === language)
    .map(({ text }) => text);
}

/** The one block that has this text in it. */
export function blockWith(path: string, language: string, text: string): string {
  const found = listBlocks(path, language).filter((block) => block.includes(text));
  if (found.length !== 1)
    throw new Error(`${path}: ${found.length} ${language} blocks with ${text}`);
  return found[0] ?? "";
}

/**
 * npm's scripts are only looked up: running them would run the tests inside the tests. A reader's own
 * `dev` goes on until it is stopped.
 */
const NPM = `#!/bin/sh
verb=$1; shift
if [ "$verb" = run ]; then verb=$1; shift; fi
[ "$verb" != dev ] || exec sleep 60
script='.*'; [ "$verb" != start ] || script='.* node dist/bridge/cli\\.js'
grep -q "^    \\"$verb\\": \\"$script\\",*$" ${join(process.cwd(), "package.json")} || exit 98
[ "$verb" = start ] || exit 0
while [ $# -gt 0 ]; do
  if [ "$1" = -- ]; then shift; break; fi
  shift
done
`;

/** Makes the commands that documents use, and gives the environment that finds them. */
export function withCommands(place: Place): NodeJS.ProcessEnv {
  const bin = join(place.root, "bin");
  mkdirSync(bin, { recursive: true });
  const own = `exec ${process.execPath} ${CLI} "$@"\n`;
  const commands = {
    pairpty: `#!/bin/sh\n${own}`,
    npx: `#!/bin/sh\n[ "$1" = pairpty ] || exit 99\nshift\n${own}`,
    npm: `${NPM}${own}`,
  };
  for (const [name, text] of Object.entries(commands)) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  return { ...place.environment, PATH: `${bin}:${place.environment["PATH"]}` };
}

/** A shell script of a document, in a group of its own. */
export function runScript(
  place: Place,
  script: string,
  extra: NodeJS.ProcessEnv = {},
): ChildProcess {
  return spawn("/bin/bash", ["-euc", script], {
    cwd: place.folder,
    env: { ...withCommands(place), ...extra },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** To its end: what it printed, on stdout alone. A script that fails is an error. */
export async function readOutput(
  place: Place,
  script: string,
  extra: NodeJS.ProcessEnv = {},
): Promise<string> {
  const child = runScript(place, script, extra);
  let printed = "";
  let complaints = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => void child.once("close", resolve));
  const code = await within(ended, () => `it did not end: ${script}\n${complaints}`, 30_000);
  if (code !== 0) throw new Error(`${script}\nended with ${code}: ${complaints}`);
  return printed;
}

/** The first line on stdout. */
export async function firstLine(child: ChildProcess): Promise<string> {
  let complaints = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const { stdout } = child;
  if (stdout === null) throw new Error("no stdout");
  const line = new Promise<string>((resolve, reject) => {
    createInterface({ input: stdout }).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`it ended with ${code}: ${complaints}`)));
  });
  return await within(line, () => `no line: ${complaints}`, 30_000);
}

/** As Ctrl-C does. Resolves with the exit code. */
export async function interrupt(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => void child.once("exit", resolve));
  if (child.exitCode !== null) return child.exitCode;
  process.kill(-(child.pid ?? 0), "SIGINT");
  return await within(ended, "it did not stop", 20_000);
}
