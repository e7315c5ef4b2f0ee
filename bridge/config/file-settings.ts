// Owns the settings below `files` and `recordings`: the folder for files from the page, and size
// limits of files and recordings. Settable in files only.

import * as z from "zod/mini";
import { MAX_FILE_BYTES, MiB } from "../../protocol/limits.ts";
import { bytesOf } from "./isolation-settings.ts";
import type { Row, Values } from "./schema.ts";

const DEFAULT_SIZE = "25m";
const DEFAULT_RECORDING = "100m";
const LEAST_RECORDING = MiB;
const MOST_RECORDING = 1_000 * MiB;

const isSize = (value: string) => bytesOf(value) >= 1 && bytesOf(value) <= MAX_FILE_BYTES;

export const fileShapes = {
  "files.folder": z.string().check(z.minLength(1), z.maxLength(4_096)),
  "files.maxSize": z.string().check(z.regex(/^\d{1,6}[km]$/), z.refine(isSize)),
  "recordings.maxSize": z.string().check(
    z.regex(/^\d{1,6}[km]$/),
    z.refine((value) => bytesOf(value) >= LEAST_RECORDING && bytesOf(value) <= MOST_RECORDING),
  ),
};

export const fileRows: Readonly<Record<keyof typeof fileShapes, Row>> = {
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
      noWider: (value) => typeof value === "string" && bytesOf(value) <= bytesOf(DEFAULT_SIZE),
    },
  },
  "recordings.maxSize": {
    form: "text",
    default: DEFAULT_RECORDING,
    flag: undefined,
    noun: "a size",
    right: `Write 1m to ${MOST_RECORDING / MiB}m, as in 50m.`,
    about: "A recording stops when it reaches this size, and everyone is notified.",
    example: "50m",
    project: {
      may: "tighten",
      why: "recordings would take more of your disk",
      how: `at most \`${DEFAULT_RECORDING}\``,
      noWider: (value) => typeof value === "string" && bytesOf(value) <= bytesOf(DEFAULT_RECORDING),
    },
  },
};

export interface FileOptions {
  /** Absolute; undefined for a temporary folder. */
  readonly folder: string | undefined;
  readonly mostBytes: number;
}

export function fileOptionsOf(values: Values, folder: string | undefined): FileOptions {
  return { folder, mostBytes: bytesOf(values["files.maxSize"] ?? DEFAULT_SIZE) };
}

export function recordingBytesOf(values: Values): number {
  return bytesOf(values["recordings.maxSize"] ?? DEFAULT_RECORDING);
}
