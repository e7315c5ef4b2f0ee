// Stores the relays that `pairpty deploy` created: their keys in a private file, and the default relay
// in the user's config.json.

import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { parseJson, parseText } from "../../../protocol/json.ts";
import { userFile } from "../../config/files.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { makeFolder } from "../../workspace/make-folder.ts";
import { readOptionalFile, writePrivateFile } from "../../workspace/private-file.ts";

const Kept = z.record(z.string(), z.object({ key: z.string(), name: z.string() }));
type Kept = z.infer<typeof Kept>;

/** Returns the stored key of a relay by its origin, if any. */
export function keptKey(origin: string | undefined): string | undefined {
  return origin === undefined ? undefined : readKept()[origin]?.key;
}

export function keepRelay(origin: string, name: string, key: string): void {
  makeFolder(dirname(userFile()));
  write({ ...readKept(), [origin]: { key, name } });
  setRelay(origin);
}

export function forgetRelay(origin: string): void {
  const { [origin]: _gone, ...rest } = readKept();
  write(rest);
  if (readConfig()["relay"] === origin) setRelay(undefined);
}

/** Checks before an upload that the result can be stored: an unreadable file is an error now. */
export function assertKeepable(): void {
  readConfig();
  readKept();
}

function keptFile(): string {
  return join(dirname(userFile()), "relays.json");
}

function readKept(): Kept {
  const text = readOptionalFile(keptFile());
  if (text === undefined) return {};
  const parsed = parseText(Kept, text);
  if (parsed.ok) return parsed.value;
  throw new UserError(`${keptFile()} cannot be read: ${parsed.error}`, ExitCode.usage);
}

function write(kept: Kept): void {
  writePrivateFile(keptFile(), `${JSON.stringify(kept, null, 2)}\n`);
}

function readConfig(): Record<string, unknown> {
  const path = userFile();
  const text = readOptionalFile(path);
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed === undefined) return {};
  const isObject = parsed.ok && typeof parsed.value === "object" && parsed.value !== null;
  if (parsed.ok && isObject) return { ...parsed.value };
  throw new UserError(
    `${path} is not JSON`,
    ExitCode.usage,
    "Correct it; `pairpty config check` shows where.",
  );
}

function setRelay(origin: string | undefined): void {
  const { relay: _before, ...rest } = readConfig();
  const next = origin === undefined ? rest : { ...rest, relay: origin };
  writePrivateFile(userFile(), `${JSON.stringify(next, null, 2)}\n`);
}
