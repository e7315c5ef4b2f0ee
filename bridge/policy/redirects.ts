// Owns judging redirects: which files they write, and what a command reads from them.

import type { Redirection } from "unbash";
import { isWhollyUnknown, toReadable, PROGRAM_OUTPUT, UNKNOWN_VALUE } from "./word-marks.ts";
import { isBlockedSystemFile } from "./program-names.ts";
import {
  toAbsolute,
  findTrust,
  isBlockDevice,
  isDescriptor,
  isDevice,
  isGuarded,
  isSink,
  isStdin,
} from "./path-text.ts";
import type { Run } from "./rule.ts";
import type { Scope } from "./parameter-expansion.ts";
import { judgeSecretFile, judgePath } from "./judge-paths.ts";
import { toTextsOfParts, toTexts } from "./word-expansion.ts";

const DESCRIPTOR = /^(?:\d+-?|-)$/;
const NETWORK = /^\/+dev\/+(?:tcp|udp)\//;

export function judgeRedirect(redirect: Redirection, run: Run): void {
  if (redirect.type !== "Redirect" || redirect.target === undefined) return;
  const { operator, target } = redirect;
  const duplicates = operator === ">&" || operator === "<&";
  const reads = operator === "<" || operator === "<&";
  for (const path of toTexts(target, run.scope)) {
    if (duplicates && DESCRIPTOR.test(path)) continue;
    judgePath(path, run, reads);
    if (path.includes(PROGRAM_OUTPUT)) continue;
    if (reads) judgeReadFile(path, run);
    // A raw pattern already covers a literal `/dev/…`; `terminal.dangerousCommands` has no such
    // pattern.
    else judgeWrittenFile(path, target.text.startsWith("/dev/"), run);
  }
}

function judgeReadFile(path: string, run: Run): void {
  judgeSecretFile(path, run);
  if (isBlockedSystemFile(toAbsolute(path, run.cwd) ?? path))
    run.note("blocked", "makes a blocked program available under another name");
  if (NETWORK.test(path)) run.note("dangerous", "opens a network connection");
  if (isBlockDevice(path)) run.note("dangerous", `${toReadable(path)} is a device`);
}

/** Judges a file that a redirect or a program writes to. */
export function judgeWrittenFile(path: string, literal: boolean, run: Run): void {
  if (isSink(path)) return;
  if (isDevice(path))
    return run.note("blocked", `writes to ${toReadable(path)}`, {
      level: literal ? "safe" : "unknown",
    });
  const trust = findTrust(path);
  if (trust !== undefined) return run.note("dangerous", `writes to ${toReadable(path)}, ${trust}`);
  const why = isWhollyUnknown(path)
    ? "writes to a file whose name is known only at run time"
    : `writes to ${toReadable(path)}`;
  run.note("unknown", why, { kind: toWriteKind(path, run) });
}

function toWriteKind(path: string, run: Run): string {
  if (run.own.leadsOut(path)) return "writes elsewhere";
  return isGuarded(path) ? "writes what may run later" : "writes a file";
}

export interface Stdin {
  readonly stream: boolean;
  readonly texts: readonly string[];
}

/**
 * Returns the standard input that redirects give; undefined if they leave it alone. In a shell the last
 * redirect wins; here all of them count.
 */
export function findStdin(redirects: readonly Redirection[], scope: Scope): Stdin | undefined {
  let stream = false;
  let found = false;
  const texts: string[] = [];
  for (const redirect of redirects) {
    const number = redirect.descriptor?.type === "FileDescriptor" ? redirect.descriptor.value : 0;
    if (redirect.type === "HereDoc") {
      const { text, parts } = redirect.body;
      texts.push(
        ...(parts === undefined || redirect.delimiter?.quoted
          ? [text]
          : toTextsOfParts(parts, scope)),
      );
      found = true;
    } else if (redirect.type === "HereString") {
      texts.push(...(redirect.target ? toTexts(redirect.target, scope) : [UNKNOWN_VALUE]));
      found = true;
    } else if ((redirect.operator === "<" || redirect.operator === "<>") && number === 0) {
      const paths = redirect.target ? toTexts(redirect.target, scope) : [];
      stream ||= paths.some(
        (path) => path.includes(PROGRAM_OUTPUT) || isDescriptor(path) || NETWORK.test(path),
      );
      if (!stream && paths.some(isStdin)) continue;
      found = true;
    } else if (redirect.operator === "<&" && number === 0) {
      const sources = redirect.target ? toTexts(redirect.target, scope) : [];
      if (sources.every((source) => /^0*-?$/.test(source))) continue;
      // The contents of another descriptor are unknown here.
      stream = true;
      found = true;
    }
  }
  return found ? { stream, texts } : undefined;
}
