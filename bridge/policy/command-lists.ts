// Owns which names count as safe and which expressions as dangerous: the defaults of
// `terminal.safeCommands` and `terminal.dangerousCommands`, or the user's changes to them. Judges
// nothing.

import { createHash } from "node:crypto";
import type { Expression } from "../patterns.ts";
import { compileExpression } from "../patterns.ts";
import { DEFAULT_DANGEROUS_COMMANDS } from "./text-patterns.ts";
import { BUILD_CALLS } from "./harmless/build-calls.ts";
import { ECOSYSTEM_CALLS } from "./harmless/ecosystem-calls.ts";
import { QUIET_CALLS } from "./harmless/file-calls.ts";
import { TEXT_CALLS } from "./harmless/text-calls.ts";
import { DEFAULT_SAFE_COMMANDS } from "./program-names.ts";

/** For one expression; the longest default one has 20. */
const MAX_STEPS = 200;

export interface UserExpression extends Expression {
  readonly source: string;
}

export interface CommandLists {
  /** Names of the default safe list: safe only with arguments that are known to be harmless. */
  readonly safe: ReadonlySet<string>;
  /** Programs beyond the default list that are known to be harmless, in the calls of one table. */
  readonly alsoHarmless: ReadonlySet<string>;
  /** Whether calls that send something out or print secrets ask a person [A27]. */
  readonly asksForOutward: boolean;
  /** Names that the user added: safe whatever their arguments are. */
  readonly trusted: ReadonlySet<string>;
  /** Expressions of the default list that the user kept. */
  readonly dangerous: ReadonlySet<string>;
  /** The user's own expressions. */
  readonly expressions: readonly UserExpression[];
  /** Differs between different lists; "" for the defaults. */
  readonly version: string;
}

/** Names beyond the default safe list. */
const ALSO_HARMLESS_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(QUIET_CALLS),
  ...Object.keys(TEXT_CALLS),
  ...Object.keys(ECOSYSTEM_CALLS),
  ...Object.keys(BUILD_CALLS),
]);

const DEFAULT_VERSION_TEXT = JSON.stringify([
  DEFAULT_SAFE_COMMANDS.toSorted(),
  DEFAULT_DANGEROUS_COMMANDS.toSorted(),
]);

export const DEFAULT_LISTS: CommandLists = {
  safe: new Set(DEFAULT_SAFE_COMMANDS),
  alsoHarmless: ALSO_HARMLESS_NAMES,
  asksForOutward: true,
  trusted: new Set(),
  dangerous: new Set(DEFAULT_DANGEROUS_COMMANDS),
  expressions: [],
  version: "",
};

/** Builds the lists from the settings. Throws for an unusable expression; `findExpressionError` checks beforehand. */
export function createCommandLists(
  safe: readonly string[] = DEFAULT_SAFE_COMMANDS,
  dangerous: readonly string[] = DEFAULT_DANGEROUS_COMMANDS,
): CommandLists {
  const known = DEFAULT_LISTS;
  return {
    safe: new Set(safe.filter((name) => known.safe.has(name))),
    // A user who shortened the list wants more questions, not fewer.
    alsoHarmless: DEFAULT_SAFE_COMMANDS.every((name) => safe.includes(name))
      ? ALSO_HARMLESS_NAMES
      : new Set(),
    asksForOutward: true,
    trusted: new Set(safe.filter((name) => !known.safe.has(name))),
    dangerous: new Set(dangerous.filter((source) => known.dangerous.has(source))),
    expressions: dangerous
      .filter((source) => !known.dangerous.has(source))
      .map((source) => {
        const compiled = compileExpression(source, MAX_STEPS);
        if (typeof compiled === "string") throw new Error(`${source}: ${compiled}`);
        return { source, ...compiled };
      }),
    version: toListVersion(safe, dangerous),
  };
}

/** Returns the lists for `pairpty/service`, which asks by the level alone [A15]. */
export function toServiceLists(lists: CommandLists): CommandLists {
  return { ...lists, alsoHarmless: new Set(), asksForOutward: false };
}

/** Returns the version of the lists: answers given under other lists no longer count [J2]. */
function toListVersion(safe: readonly string[], dangerous: readonly string[]): string {
  const whole = JSON.stringify([safe.toSorted(), dangerous.toSorted()]);
  return whole === DEFAULT_VERSION_TEXT
    ? ""
    : createHash("sha256").update(whole).digest("hex").slice(0, 16);
}

/** Returns why an expression cannot be one of `dangerousCommands`; undefined if it can. */
export function findExpressionError(source: string): string | undefined {
  if (DEFAULT_LISTS.dangerous.has(source)) return undefined;
  const compiled = compileExpression(source, MAX_STEPS);
  return typeof compiled === "string" ? compiled : undefined;
}
