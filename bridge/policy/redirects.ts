// Owns judging redirects: which files they write, and what a command reads from them.

import type { Redirection } from "unbash";
import { isAllUnknown, readable, STREAM, UNKNOWN } from "./marks.ts";
import { isBlockedSystemFile } from "./names.ts";
import {
  absolute,
  isBlockDevice,
  isDescriptor,
  isDevice,
  isGuarded,
  isSink,
  isStdin,
  isTrustedFile,
} from "./paths.ts";
import type { Run } from "./run.ts";
import type { Scope } from "./scope.ts";
import { judgeSecretFile } from "./secrets.ts";
import { judgePlace } from "./touches.ts";
import { textOfParts, textsOf } from "./words.ts";

const DESCRIPTOR = /^(?:\d+-?|-)$/;
const NETWORK = /^\/+dev\/+(?:tcp|udp)\//;

export function judgeRedirect(redirect: Redirection, run: Run): void {
  if (redirect.type !== "Redirect" || redirect.target === undefined) return;
  const { operator, target } = redirect;
  const duplicates = operator === ">&" || operator === "<&";
  const reads = operator === "<" || operator === "<&";
  for (const path of textsOf(target, run.scope)) {
    if (duplicates && DESCRIPTOR.test(path)) continue;
    judgePlace(path, run, reads);
    if (path.includes(STREAM)) continue;
    if (reads) judgeRead(path, run);
    // The raw pattern already covers a literal `/dev/…`; `terminal.dangerousCommands` has no such
    // pattern.
    else judgeWrite(path, target.text.startsWith("/dev/"), run);
  }
}

function judgeRead(path: string, run: Run): void {
  judgeSecretFile(path, run);
  if (isBlockedSystemFile(absolute(path, run.cwd) ?? path))
    run.note("blocked", "makes a blocked program available under another name");
  if (NETWORK.test(path)) run.note("dangerous", "opens a network connection");
  if (isBlockDevice(path)) run.note("dangerous", `${readable(path)} is a device`);
}

/** Judges a file that a redirect or a program writes to. */
export function judgeWrite(path: string, literal: boolean, run: Run): void {
  if (isSink(path)) return;
  if (isDevice(path))
    return run.note("blocked", `writes to ${readable(path)}`, {
      level: literal ? "safe" : "unknown",
    });
  if (isTrustedFile(path))
    return run.note("dangerous", `writes to ${readable(path)}, which runs automatically later`);
  const why = isAllUnknown(path)
    ? "writes to a file whose name is known only at run time"
    : `writes to ${readable(path)}`;
  run.note("unknown", why, { kind: kindOfWrite(path, run) });
}

function kindOfWrite(path: string, run: Run): string {
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
export function stdinOf(redirects: readonly Redirection[], scope: Scope): Stdin | undefined {
  let stream = false;
  let found = false;
  const texts: string[] = [];
  for (const redirect of redirects) {
    const number = redirect.descriptor?.type === "FileDescriptor" ? redirect.descriptor.value : 0;
    if (redirect.type === "HereDoc") {
      const { text, parts } = redirect.body;
      texts.push(
        ...(parts === undefined || redirect.delimiter?.quoted ? [text] : textOfParts(parts, scope)),
      );
      found = true;
    } else if (redirect.type === "HereString") {
      texts.push(...(redirect.target ? textsOf(redirect.target, scope) : [UNKNOWN]));
      found = true;
    } else if ((redirect.operator === "<" || redirect.operator === "<>") && number === 0) {
      const paths = redirect.target ? textsOf(redirect.target, scope) : [];
      stream ||= paths.some(
        (path) => path.includes(STREAM) || isDescriptor(path) || NETWORK.test(path),
      );
      if (!stream && paths.some(isStdin)) continue;
      found = true;
    } else if (redirect.operator === "<&" && number === 0) {
      const sources = redirect.target ? textsOf(redirect.target, scope) : [];
      if (sources.every((source) => /^0*-?$/.test(source))) continue;
      // What another descriptor provides is not known here.
      stream = true;
      found = true;
    }
  }
  return found ? { stream, texts } : undefined;
}
