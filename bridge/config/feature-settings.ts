// Owns the settings below `acp`, `approvals`, `files`, `plugins` and `recordings`. All are settable
// in files only, since an agent could pass a flag.

import * as z from "zod/mini";
import { MAX_FILE_BYTES, MiB } from "../../protocol/limits.ts";
import type { OnUnknownTimeout } from "../approvals/approvals.ts";
import { ON_UNKNOWN_TIMEOUT } from "../approvals/approvals.ts";
import type { InSandbox } from "../pipeline/verdicts.ts";
import { IN_SANDBOX } from "../pipeline/verdicts.ts";
import { parseBytes } from "./isolation-settings.ts";
import type { SettingRow, SettingValues, ProjectRule } from "./setting-shapes.ts";

const BOOLEAN_ROW = {
  form: "boolean" as const,
  flag: undefined,
  noun: "true or false",
  right: "Write true or false, without quotes.",
};

/** Allows a project's file to set only false. */
const onlyFalse = (why: string): ProjectRule => ({
  may: "tighten",
  why,
  how: "only `false`",
  isNoWider: (value) => value === false,
});

export const acpShapes = {
  "acp.terminal": z.boolean(),
  "acp.files": z.boolean(),
};

export const acpRows: Readonly<Record<keyof typeof acpShapes, SettingRow>> = {
  "acp.terminal": {
    ...BOOLEAN_ROW,
    default: true,
    about:
      "Let coding agents that speak ACP run commands in terminals of this workspace (`terminal/create` and the related methods), under the policy and approvals of every agent.",
    example: false,
    project: onlyFalse("agents get another way to run commands"),
  },
  "acp.files": {
    ...BOOLEAN_ROW,
    default: true,
    about:
      "Let coding agents that speak ACP read files of the shared folders, and write them after a person approves (`fs/read_text_file`, `fs/write_text_file`).",
    example: false,
    project: onlyFalse("agents get another way to read and write files"),
  },
};

export interface AcpOptions {
  readonly hasTerminals: boolean;
  readonly hasFiles: boolean;
}

export function toAcpOptions(values: SettingValues): AcpOptions {
  return {
    hasTerminals: values["acp.terminal"] ?? true,
    hasFiles: values["acp.files"] ?? true,
  };
}

const MAX_TEXT_CHARS = 4_096;

export const pluginShapes = {
  "plugins.terminal.enabled": z.boolean(),
  "plugins.terminal.shell": z.string().check(z.minLength(1), z.maxLength(MAX_TEXT_CHARS)),
  "plugins.terminal.debug": z.boolean(),
};

export const pluginRows: Readonly<Record<keyof typeof pluginShapes, SettingRow>> = {
  "plugins.terminal.enabled": {
    ...BOOLEAN_ROW,
    default: true,
    about: "Serve terminal panels: the `panel_event` messages, their operations and tools.",
    example: false,
    project: onlyFalse("people's clients get another way to open terminals"),
  },
  "plugins.terminal.shell": {
    form: "text",
    default: undefined,
    defaultWords: "the setting `shell`",
    flag: undefined,
    noun: "a program",
    right: "Name one program, without arguments, by its name or path.",
    about: "Shell for panels' terminals.",
    example: "/bin/bash",
    project: { may: "trust", why: "it runs as you" },
  },
  "plugins.terminal.debug": {
    ...BOOLEAN_ROW,
    default: false,
    about:
      "Enable debug logging for panel events and PTY lifecycle: `pairpty logs` shows them. Only the size of texts is logged.",
    example: true,
    project: onlyFalse("it fills the log"),
  },
};

export const approvalShapes = {
  "approvals.inSandbox": z.enum(IN_SANDBOX),
  "approvals.onUnknownTimeout": z.enum(ON_UNKNOWN_TIMEOUT),
};

export const approvalRows: Readonly<Record<keyof typeof approvalShapes, SettingRow>> = {
  "approvals.inSandbox": {
    form: "text",
    default: "run",
    flag: undefined,
    noun: "what to do in a sandbox",
    right: "Write run or ask.",
    about:
      "What happens with an agent's `unknown` command in a sandbox or container: it runs, since the isolation limits it, or pairpty asks a person. pairpty always asks about a `dangerous` one.",
    example: "ask",
    project: {
      may: "tighten",
      why: "pairpty would ask about fewer commands",
      how: "only `ask`",
      isNoWider: (value) => value === "ask",
    },
  },
  "approvals.onUnknownTimeout": {
    form: "text",
    default: "deny",
    flag: undefined,
    noun: "what to do when no one answers",
    right: "Write deny or allow.",
    about:
      "What happens with an agent's `unknown` command when no one answers within 10 s. With `deny` the agent gets an error that the approval is still open; with `allow` the command runs. A `dangerous` one never runs without an answer.",
    example: "allow",
    project: {
      may: "never",
      why: "commands would run without approval",
      how: "only `deny`",
      isNoWider: (value) => value === "deny",
    },
  },
};

export interface ApprovalOptions {
  readonly inSandbox: InSandbox;
  readonly onUnknownTimeout: OnUnknownTimeout;
}

export function toApprovalOptions(values: SettingValues): ApprovalOptions {
  return {
    inSandbox: values["approvals.inSandbox"] ?? "run",
    onUnknownTimeout: values["approvals.onUnknownTimeout"] ?? "deny",
  };
}

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
