// Owns which names count as safe and which expressions as dangerous: seed 004's lists, or what the
// user made of them. Judges nothing.

import { createHash } from "node:crypto";
import type { Expression } from "../patterns.ts";
import { compileExpression } from "../patterns.ts";
import { SEED_DANGEROUS } from "./floor.ts";
import { ECOSYSTEM_CALLS } from "./harmless/ecosystems.ts";
import { QUIET_CALLS } from "./harmless/quiet.ts";
import { SEED_SAFE } from "./names.ts";

/** For one expression; the longest of the seed's has 20. */
const MOST_STEPS = 200;

export interface UserExpression extends Expression {
  readonly source: string;
}

export interface CommandLists {
  /** Names of the seed's list: safe only with arguments that are known to be harmless. */
  readonly safe: ReadonlySet<string>;
  /** Programs beyond the seed's list that are known to be harmless, in the calls of one table. */
  readonly quiet: ReadonlySet<string>;
  /** At the doors, what goes outward and what shows secrets asks [A27]. */
  readonly guardsDoors: boolean;
  /** Names that the user added: the user's word, whatever their arguments are. */
  readonly trusted: ReadonlySet<string>;
  /** Expressions of the seed's list. */
  readonly dangerous: ReadonlySet<string>;
  /** The user's own. */
  readonly expressions: readonly UserExpression[];
  /** Another text for other lists; "" for the seed's. */
  readonly version: string;
}

/** Beyond seed 004's list. */
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

/** Throws for an expression that cannot be used; `whyUnusable` tells beforehand. */
export function commandLists(
  safe: readonly string[] = SEED_SAFE,
  dangerous: readonly string[] = SEED_DANGEROUS,
): CommandLists {
  const known = SEED_LISTS;
  return {
    safe: new Set(safe.filter((name) => known.safe.has(name))),
    // A user who shortened the list wants to be asked about more, not about less.
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

/** The same lists for `pairpty/service`, which asks by seed 004's level [A15] and by nothing beyond it. */
export function toServiceLists(lists: CommandLists): CommandLists {
  return { ...lists, quiet: new Set(), guardsDoors: false };
}

/** An answer that was given by other lists is good no more [J2]. */
function versionOf(safe: readonly string[], dangerous: readonly string[]): string {
  const whole = JSON.stringify([safe.toSorted(), dangerous.toSorted()]);
  return whole === SEED ? "" : createHash("sha256").update(whole).digest("hex").slice(0, 16);
}

/** Why an expression cannot be one of `dangerousCommands`; undefined when it can. */
export function whyUnusable(source: string): string | undefined {
  if (SEED_LISTS.dangerous.has(source)) return undefined;
  const compiled = compileExpression(source, MOST_STEPS);
  return typeof compiled === "string" ? compiled : undefined;
}
