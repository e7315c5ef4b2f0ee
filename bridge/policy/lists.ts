// Owns which names count as safe and which expressions as dangerous: the defaults of
// `terminal.safeCommands` and `terminal.dangerousCommands`, or the user's changes to them. Judges
// nothing.

import { createHash } from "node:crypto";
import type { Expression } from "../patterns.ts";
import { compileExpression } from "../patterns.ts";
import { SEED_DANGEROUS } from "./floor.ts";
import { ECOSYSTEM_CALLS } from "./harmless/ecosystems.ts";
import { QUIET_CALLS } from "./harmless/quiet.ts";
import { SEED_SAFE } from "./names.ts";

/** For one expression; the longest default one has 20. */
const MOST_STEPS = 200;

export interface UserExpression extends Expression {
  readonly source: string;
}

export interface CommandLists {
  /** Names of the default safe list: safe only with arguments that are known to be harmless. */
  readonly safe: ReadonlySet<string>;
  /** Programs beyond the default list that are known to be harmless, in the calls of one table. */
  readonly quiet: ReadonlySet<string>;
  /** Whether calls that send something out or print secrets ask a person [A27]. */
  readonly guardsDoors: boolean;
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
const QUIET_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(QUIET_CALLS),
  ...Object.keys(ECOSYSTEM_CALLS),
]);

const SEED = JSON.stringify([SEED_SAFE.toSorted(), SEED_DANGEROUS.toSorted()]);

export const SEED_LISTS: CommandLists = {
  safe: new Set(SEED_SAFE),
  quiet: QUIET_NAMES,
  guardsDoors: true,
  trusted: new Set(),
  dangerous: new Set(SEED_DANGEROUS),
  expressions: [],
  version: "",
};

/** Builds the lists from the settings. Throws for an unusable expression; `whyUnusable` checks beforehand. */
export function commandLists(
  safe: readonly string[] = SEED_SAFE,
  dangerous: readonly string[] = SEED_DANGEROUS,
): CommandLists {
  const known = SEED_LISTS;
  return {
    safe: new Set(safe.filter((name) => known.safe.has(name))),
    // A user who shortened the list wants more questions, not fewer.
    quiet: SEED_SAFE.every((name) => safe.includes(name)) ? QUIET_NAMES : new Set(),
    guardsDoors: true,
    trusted: new Set(safe.filter((name) => !known.safe.has(name))),
    dangerous: new Set(dangerous.filter((source) => known.dangerous.has(source))),
    expressions: dangerous
      .filter((source) => !known.dangerous.has(source))
      .map((source) => {
        const compiled = compileExpression(source, MOST_STEPS);
        if (typeof compiled === "string") throw new Error(`${source}: ${compiled}`);
        return { source, ...compiled };
      }),
    version: versionOf(safe, dangerous),
  };
}

/** Returns the lists for `pairpty/service`, which asks by the level alone [A15]. */
export function toServiceLists(lists: CommandLists): CommandLists {
  return { ...lists, quiet: new Set(), guardsDoors: false };
}

/** Returns the version of the lists: answers given under other lists no longer count [J2]. */
function versionOf(safe: readonly string[], dangerous: readonly string[]): string {
  const whole = JSON.stringify([safe.toSorted(), dangerous.toSorted()]);
  return whole === SEED ? "" : createHash("sha256").update(whole).digest("hex").slice(0, 16);
}

/** Returns why an expression cannot be one of `dangerousCommands`; undefined if it can. */
export function whyUnusable(source: string): string | undefined {
  if (SEED_LISTS.dangerous.has(source)) return undefined;
  const compiled = compileExpression(source, MOST_STEPS);
  return typeof compiled === "string" ? compiled : undefined;
}
