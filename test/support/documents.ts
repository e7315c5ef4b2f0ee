// Owns reading the documents' examples, and running them as they stand: `pairpty`, and `npx pairpty`,
// are the build.

import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Place } from "./product.ts";
import { CLI } from "./product.ts";
import { within } from "./waiting.ts";

/** The fenced blocks of one language, in order. */
export function blocksOf(path: string, language: string): string[] {
  const fenced = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm");
  return [...readFileSync(path, "utf8").matchAll(fenced)].map(([, block = ""]) => block);
}

/** The one block that has this text in it. */
export function blockWith(path: string, language: string, text: string): string {
  const found = blocksOf(path, language).filter((block) => block.includes(text));
  if (found.length !== 1)
    throw new Error(`${path}: ${found.length} ${language} blocks with ${text}`);
  return found[0] ?? "";
}

/** A shell script of a document, in a group of its own. */
export function runScript(place: Place, script: string): ChildProcess {
  const bin = join(place.root, "bin");
  mkdirSync(bin, { recursive: true });
  const own = `exec ${process.execPath} ${CLI} "$@"\n`;
  writeFileSync(join(bin, "pairpty"), `#!/bin/sh\n${own}`);
  writeFileSync(join(bin, "npx"), `#!/bin/sh\n[ "$1" = pairpty ] || exit 99\nshift\n${own}`);
  for (const name of ["pairpty", "npx"]) chmodSync(join(bin, name), 0o755);
  return spawn("/bin/bash", ["-euc", script], {
    cwd: place.folder,
    env: { ...place.environment, PATH: `${bin}:${place.environment["PATH"]}` },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
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
