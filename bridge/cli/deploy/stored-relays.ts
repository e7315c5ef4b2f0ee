// Stores the relays that `pairpty deploy` created: their keys in a private file, and the default relay
// in the user's config.json.

import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { parseJson, parseText } from "../../../protocol/json.ts";
import { getUserFile } from "../../config/config-files.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { makeFolder, readOptionalFile, writePrivateFile } from "../../workspace/private-file.ts";

const StoredRelays = z.record(z.string(), z.object({ key: z.string(), name: z.string() }));
type StoredRelays = z.infer<typeof StoredRelays>;

/** Returns the stored key of a relay by its origin, if any. */
export function findStoredKey(origin: string | undefined): string | undefined {
  return origin === undefined ? undefined : readStoredRelays()[origin]?.key;
}

export function storeRelay(origin: string, name: string, key: string): void {
  makeFolder(dirname(getUserFile()));
  writeStoredRelays({ ...readStoredRelays(), [origin]: { key, name } });
  setRelay(origin);
}

export function forgetRelay(origin: string): void {
  const { [origin]: _gone, ...rest } = readStoredRelays();
  writeStoredRelays(rest);
  if (readConfig()["relay"] === origin) setRelay(undefined);
}

/** Checks before an upload that the result can be stored: an unreadable file is an error now. */
export function assertStorable(): void {
  readConfig();
  readStoredRelays();
}

function getRelaysFile(): string {
  return join(dirname(getUserFile()), "relays.json");
}

function readStoredRelays(): StoredRelays {
  const text = readOptionalFile(getRelaysFile());
  if (text === undefined) return {};
  const parsed = parseText(StoredRelays, text);
  if (parsed.ok) return parsed.value;
  throw new UserError(`${getRelaysFile()} cannot be read: ${parsed.error}`, ExitCode.usage);
}

function writeStoredRelays(relays: StoredRelays): void {
  writePrivateFile(getRelaysFile(), `${JSON.stringify(relays, null, 2)}\n`);
}

function readConfig(): Record<string, unknown> {
  const path = getUserFile();
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
  writePrivateFile(getUserFile(), `${JSON.stringify(next, null, 2)}\n`);
}
