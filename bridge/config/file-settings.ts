// Owns the settings below `files` and `recordings`: the folder for files from the page, and size
// limits of files and recordings. Settable in files only.

import * as z from "zod/mini";
import { MAX_FILE_BYTES, MiB } from "../../protocol/limits.ts";
import { parseBytes } from "./isolation-settings.ts";
import type { SettingRow, SettingValues } from "./schema.ts";

const DEFAULT_SIZE = "25m";
const DEFAULT_RECORDING = "100m";
const MIN_RECORDING = MiB;
const MAX_RECORDING = 1_000 * MiB;

const isSize = (value: string) => parseBytes(value) >= 1 && parseBytes(value) <= MAX_FILE_BYTES;

export const fileShapes = {
  "files.folder": z.string().check(z.minLength(1), z.maxLength(4_096)),
  "files.maxSize": z.string().check(z.regex(/^\d{1,6}[km]$/), z.refine(isSize)),
  "recordings.maxSize": z.string().check(
    z.regex(/^\d{1,6}[km]$/),
    z.refine((value) => parseBytes(value) >= MIN_RECORDING && parseBytes(value) <= MAX_RECORDING),
  ),
};

export const fileRows: Readonly<Record<keyof typeof fileShapes, SettingRow>> = {
  "files.folder": {
    form: "text",
    default: undefined,
    defaultWords: "a temporary one outside the workspace, which pairpty removes when it ends",
    flag: undefined,
    noun: "a folder",
    right: "Name a folder; it is created with the first file.",
    about:
      "The folder for files that people drop or paste onto a terminal. A relative path starts at the file's folder; `~/` is your home. Sandboxed agents see only folders of the workspace.",
    example: "uploads",
    project: { may: "trust", why: "others' files are written there" },
  },
  "files.maxSize": {
    form: "text",
    default: DEFAULT_SIZE,
    flag: undefined,
    noun: "a size",
    right: `Write 1k to ${MAX_FILE_BYTES / MiB}m, as in 500k or 25m.`,
    about: "The largest file that a page may send.",
    example: "10m",
    project: {
      may: "tighten",
      why: "others could write more to your disk",
      how: `at most \`${DEFAULT_SIZE}\``,
      isNoWider: (value) =>
        typeof value === "string" && parseBytes(value) <= parseBytes(DEFAULT_SIZE),
    },
  },
  "recordings.maxSize": {
    form: "text",
    default: DEFAULT_RECORDING,
    flag: undefined,
    noun: "a size",
    right: `Write 1m to ${MAX_RECORDING / MiB}m, as in 50m.`,
    about: "A recording stops when it reaches this size, and everyone is notified.",
    example: "50m",
    project: {
      may: "tighten",
      why: "recordings would take more of your disk",
      how: `at most \`${DEFAULT_RECORDING}\``,
      isNoWider: (value) =>
        typeof value === "string" && parseBytes(value) <= parseBytes(DEFAULT_RECORDING),
    },
  },
};

export interface FileOptions {
  /** Absolute; undefined for a temporary folder. */
  readonly folder: string | undefined;
  readonly maxBytes: number;
}

export function toFileOptions(values: SettingValues, folder: string | undefined): FileOptions {
  return { folder, maxBytes: parseBytes(values["files.maxSize"] ?? DEFAULT_SIZE) };
}

export function getMaxRecordingBytes(values: SettingValues): number {
  return parseBytes(values["recordings.maxSize"] ?? DEFAULT_RECORDING);
}
