// Owns the shapes of settings' values and the format of a row in the table of settings. The rows
// are in schema.ts.

import * as z from "zod/mini";
import { WORKSPACE_PATTERN } from "../../protocol/workspace.ts";
import { INACTIVITY_MS } from "../agents/terminal-timers.ts";
import { parseDuration } from "../grants/duration.ts";
import { parseRelayAddress } from "../link/relay-address.ts";
import { LOG_LEVELS } from "../log.ts";
import { E2E_SETTINGS } from "./resolve-e2e.ts";
import { isTunnelSetting } from "../tunnels/tunnel-programs.ts";
import { acpShapes, pluginShapes, approvalShapes, fileShapes } from "./feature-settings.ts";
import { isolationShapes } from "./isolation-settings.ts";
import { terminalShapes } from "./terminal-settings.ts";

/** The longest path on Linux. */
const MAX_TEXT_CHARS = 4_096;
export const MAX_ENTRIES = 64;
const MIN_GRACE_MS = 10_000;
const MAX_GRACE_MS = 24 * 3_600_000;
export const GRACE = "10m";
export const IDLE = `${INACTIVITY_MS / 60_000}m`;

const text = () => z.string().check(z.minLength(1), z.maxLength(MAX_TEXT_CHARS));

/** Durations as people write them, `90s`, in every layer. */
const duration = (minMs: number, maxMs: number) =>
  z.string().check(
    z.regex(/^\d{1,9}[smhd]$/),
    z.refine((value) => parseMilliseconds(value) >= minMs && parseMilliseconds(value) <= maxMs),
  );

export const shapes = {
  relay: text().check(z.refine(isRelayAddress)),
  tunnel: text().check(z.refine(isTunnelSetting)),
  insecure: z.boolean(),
  ca: text(),
  workspace: z.string().check(z.regex(WORKSPACE_PATTERN)),
  port: z.int().check(z.gte(0), z.lte(65_535)),
  shell: text(),
  open: z.boolean(),
  qr: z.boolean(),
  quiet: z.boolean(),
  logLevel: z.enum(LOG_LEVELS),
  grace: duration(MIN_GRACE_MS, MAX_GRACE_MS),
  knock: z.boolean(),
  e2e: z.enum(E2E_SETTINGS),
  "agents.roots": z.array(text()).check(z.maxLength(MAX_ENTRIES)),
  "agents.environment": z
    .array(z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}$/)))
    .check(z.maxLength(MAX_ENTRIES)),
  "agents.idle": duration(1_000, INACTIVITY_MS),
  ...acpShapes,
  ...approvalShapes,
  ...isolationShapes,
  ...terminalShapes,
  ...pluginShapes,
  ...fileShapes,
};

export type SettingKey = keyof typeof shapes;

/** Values of one layer: some of the settings, all valid. */
export const SettingValues = z.partial(z.strictObject(shapes));
export type SettingValues = z.infer<typeof SettingValues>;

/** How a value is written as text, in variables. */
export type ValueForm = "text" | "number" | "boolean" | "folders" | "names" | "list" | "record";

/**
 * What a project's file may set before it is trusted: any value, only values no wider than the
 * default, or nothing. With `never`, trust does not help.
 */
export type ProjectRule =
  | { readonly may: "free"; readonly why: string }
  | {
      readonly may: "tighten" | "never";
      readonly why: string;
      readonly how: string;
      readonly isNoWider: (value: unknown) => boolean;
    }
  | { readonly may: "trust"; readonly why: string };

export interface Setting {
  readonly key: SettingKey;
  readonly form: ValueForm;
  readonly schema: z.ZodMiniType;
  /** Undefined if it is determined at the start; `defaultWords` says how. */
  readonly default: SettingValues[SettingKey];
  readonly defaultWords?: string;
  /** Replaces a long default in a table's cell. */
  readonly defaultShort?: string;
  /** Undefined if only files can set it; then there is no variable either. */
  readonly flag: string | undefined;
  readonly variable: string | undefined;
  /** "… is not <noun>. <right>" */
  readonly noun: string;
  readonly right: string;
  /** Returns what exactly is invalid, where `right` is too general. */
  readonly detail?: (value: unknown) => string | undefined;
  readonly about: string;
  readonly example: SettingValues[SettingKey];
  readonly project: ProjectRule;
}

export type SettingRow = Omit<Setting, "key" | "schema" | "variable">;

/** Converts a valid duration to ms; infinite for other text. */
export function parseMilliseconds(value: string): number {
  return parseDuration(value) ?? Infinity;
}

function isRelayAddress(value: string): boolean {
  try {
    parseRelayAddress(value, true);
    return true;
  } catch {
    return false;
  }
}
