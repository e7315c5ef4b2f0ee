// Owns the paths of configuration files, and reading one: a plain file of a limited size, or a
// problem that says what it is instead. Also owns the record of trusted project files: by path and
// hash of the bytes, so that a changed file is not trusted. Kept with the workspace's state, 0600.

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { builtFile } from "../build-info.ts";
import { errorMessage, findSystemCode } from "../errors.ts";
import { PROCESS_TAG_ENV } from "../sweep.ts";
import { configRoot } from "../workspace/folders.ts";
import {
  readOptionalFile,
  removePrivateFile,
  writePrivateFile,
} from "../workspace/private-file.ts";
import type { Problem } from "./config-problems.ts";
import { escapeInvisible } from "./config-problems.ts";

export const PROJECT_FILE = "pairpty.config.json";

/** Larger files are not settings, which need a few lines. */
export const MAX_CONFIG_BYTES = 64 << 10;

export function getUserFile(): string {
  return join(configRoot(), "config.json");
}

export function getProjectFile(folder: string): string {
  return join(folder, PROJECT_FILE);
}

/** Returns the path of the JSON schema for editors: dist/config.schema.json. */
export function getSchemaFile(): string {
  return builtFile("..", "config.schema.json");
}

export type ConfigFileRead =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Reads a file; undefined if there is none. A project's file came with the folder, so it must not
 * be a symbolic link; a user's must not be writable by others.
 */
export function readConfigFile(
  path: string,
  whose: "user" | "project",
): ConfigFileRead | undefined {
  const problem = (what: string, right: string): ConfigFileRead => ({
    ok: false,
    problem: { source: escapeInvisible(path), key: undefined, what, right },
  });
  let fd: number;
  try {
    // Non-blocking: a named pipe without a writer would block the start.
    const link = whose === "project" ? constants.O_NOFOLLOW : 0;
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | link);
  } catch (error) {
    const code = findSystemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code === "ELOOP") {
      return problem(
        "a symbolic link, and a project's file must be a file",
        "Put the file itself there, or name the other one with --config.",
      );
    }
    return problem(
      `cannot be read: ${errorMessage(error)}`,
      "Make it readable for you, or remove it.",
    );
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return problem("not a file", "Put a JSON file there, or remove it.");
    if (whose === "user" && (stat.mode & 0o002) !== 0) {
      return problem(
        "everyone on this machine can write it, and it decides what runs as you",
        "chmod o-w it.",
      );
    }
    // One byte more than allowed: if the read fills it, the file is too large, whatever stat
    // reported.
    const buffer = Buffer.alloc(MAX_CONFIG_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(fd, buffer, length, buffer.length - length, length);
    }
    if (length > MAX_CONFIG_BYTES) {
      return problem(
        `larger than ${MAX_CONFIG_BYTES >> 10} KiB`,
        "Settings need a few lines. Is it the right file?",
      );
    }
    // In a sandbox, an empty placeholder stands for an absent file [I5].
    if (whose === "project" && length === 0) return undefined;
    return { ok: true, bytes: buffer.subarray(0, length) };
  } finally {
    closeSync(fd);
  }
}

/** Trusted versions kept, for switching branches; older ones need trust again. */
const MAX_TRUSTED_VERSIONS = 20;

const TrustFile = z.object({
  version: z.literal(1),
  trusted: z.array(z.object({ path: z.string(), sha256: z.string(), at: z.number() })),
});
type TrustFile = z.infer<typeof TrustFile>;

export function trustPath(stateFolder: string): string {
  return join(stateFolder, "trusted-config.json");
}

export function hashBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function isTrusted(stateFolder: string, path: string, sha256: string): boolean {
  return readTrusted(stateFolder).some((one) => one.path === path && one.sha256 === sha256);
}

/** Records trust in a file. The state folder must exist. */
export function trustFile(stateFolder: string, path: string, sha256: string, at: number): void {
  const others = readTrusted(stateFolder).filter(
    (one) => one.path !== path || one.sha256 !== sha256,
  );
  const trusted = [...others, { path, sha256, at }].slice(-MAX_TRUSTED_VERSIONS);
  const file: TrustFile = { version: 1, trusted };
  writePrivateFile(trustPath(stateFolder), `${JSON.stringify(file, null, 2)}\n`);
}

export function forgetTrust(stateFolder: string): void {
  removePrivateFile(trustPath(stateFolder));
}

/** Whether trust may be asked for here: in a shared terminal, others could answer. */
export function canAskForTrust(environment: NodeJS.ProcessEnv): boolean {
  return environment[PROCESS_TAG_ENV] === undefined;
}

/** Returns the trusted files; none if the record cannot be read. */
function readTrusted(stateFolder: string): TrustFile["trusted"] {
  const text = readOptionalFile(trustPath(stateFolder));
  const parsed = text === undefined ? undefined : parseText(TrustFile, text);
  return parsed?.ok === true ? parsed.value.trusted : [];
}
