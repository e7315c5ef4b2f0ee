// Owns writing a log line as JSON: time, level, source, message; secrets masked, length bounded.
// Also owns what logs must not show: texts that look like secrets, and secrets from the
// environment, which look like nothing special. Truncates texts that are too long for a log line.

import { MASKED_TEXT, maskText } from "../secrets/mask.ts";
import type { LineLevel, LogSource } from "./log-paths.ts";
import { LINE_LEVELS } from "./log-paths.ts";
import { openRotatingFile } from "./rotating-file.ts";
import { compact } from "../../protocol/compact.ts";

/** Fits a stack trace, and bounds endless output of other programs. */
const MAX_TEXT_LENGTH = 4_000;

export interface JsonLogOptions {
  readonly path: string;
  readonly source: LogSource;
  readonly minLevel: LineLevel;
  readonly onProblem?: (problem: string) => void;
}

export type JsonLog = (level: LineLevel, fields: Readonly<Record<string, unknown>>) => void;

export function openJsonLog({ path, source, minLevel, onProblem }: JsonLogOptions): JsonLog {
  const mask = createMask(listEnvironmentSecrets(process.env));
  const toLine = (level: LineLevel, fields: Readonly<Record<string, unknown>>) =>
    JSON.stringify(
      { at: new Date().toISOString(), level, source, pid: process.pid, ...fields },
      (_name, value: unknown) =>
        typeof value === "string" ? truncate(mask(value), MAX_TEXT_LENGTH) : value,
    );
  const write = openRotatingFile({
    path,
    ...compact({ onProblem }),
    lost: (count, problem) =>
      toLine("warn", { message: `${count} log lines could not be written: ${problem}` }),
  });
  return (level, fields) => {
    if (LINE_LEVELS.indexOf(level) >= LINE_LEVELS.indexOf(minLevel)) write(toLine(level, fields));
  };
}

/** Masking shorter values would hide half of every line. */
const MIN_SECRET_LENGTH = 4;

/** Returns relay keys and proxies' passwords (raw and decoded), longest first. */
export function listEnvironmentSecrets(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment)
    .flatMap(([name, value = ""]) => {
      if (/^(PAIRPTY_)?RELAY_KEY$/.test(name)) return [value];
      return /^(https?|all)_proxy$/i.test(name) ? listPasswords(value) : [];
    })
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
}

export function createMask(secrets: readonly string[]): (text: string) => string {
  return (text) =>
    maskText(secrets.reduce((masked, secret) => masked.replaceAll(secret, MASKED_TEXT), text));
}

function listPasswords(address: string): string[] {
  const text = address.includes("://") ? address : `http://${address}`;
  if (!URL.canParse(text)) return [];
  const { password } = new URL(text);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

export function truncate(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… (${text.length} characters)`;
}
