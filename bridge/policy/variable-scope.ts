// Owns the values that variables could have. The assignments of a script are gathered before it is
// judged, and a name keeps every value that it is ever given, so that order and branches do not matter.
// Does not resolve words.

import { UNKNOWN_VALUE } from "./word-marks.ts";

/** One value, as fields: an array has several. */
export type Value = readonly string[];

/** A variable with more values than this also counts as unknown. */
const MAX_VALUES = 8;
const MAX_LENGTH = 4096;
const NOTHING_KNOWN: readonly Value[] = [[UNKNOWN_VALUE]];

/** Possible names of the running shell, which is not known: `${SHELL%h}` may give any of them, changed. */
const SHELLS: readonly Value[] = [
  "sh",
  "bash",
  "/bin/sh",
  "/bin/bash",
  "dash",
  "zsh",
  "/bin/zsh",
].map((name) => [name]);

/** Variables that a shell sets itself and that name a program. */
const SHELL_VARIABLES: readonly [string, readonly Value[]][] = [
  ["SHELL", SHELLS],
  ["BASH", [["bash"], ["/bin/bash"]]],
  ["0", SHELLS],
  ["_", SHELLS],
];

export class Scope {
  readonly #values: Map<string, readonly Value[]>;
  readonly #outer: Scope | undefined;
  /** Names that the script assigns to; the others come from its environment. */
  readonly #set = new Set<string>();
  /** Texts that the script put into variables since the last `takeNewTexts`. */
  #newTexts: string[] = [];

  constructor(
    values: Iterable<readonly [string, readonly Value[]]> = SHELL_VARIABLES,
    outer?: Scope,
  ) {
    this.#values = new Map(values);
    this.#outer = outer;
  }

  /** Returns a scope for text with its own positional parameters; other assignments in it stay inside, too. */
  createChild(): Scope {
    return new Scope([], this);
  }

  isAssignedHere(name: string): boolean {
    return this.#set.has(name) || (this.#outer?.isAssignedHere(name) ?? false);
  }

  /** Returns each text that the script put into a variable, once: many texts may share a scope. */
  takeNewTexts(): readonly string[] {
    const fresh = this.#newTexts;
    this.#newTexts = [];
    return fresh;
  }

  get(name: string): readonly Value[] {
    return this.#find(name) ?? NOTHING_KNOWN;
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** Adds a possible value; returns whether it was new. */
  add(name: string, value: Value): boolean {
    this.#set.add(name);
    const before = this.#find(name) ?? [];
    const size = value.reduce((sum, field) => sum + field.length, 0);
    const kept: Value = size > MAX_LENGTH || before.length >= MAX_VALUES ? [UNKNOWN_VALUE] : value;
    if (before.some((other) => sameValue(other, kept))) return false;
    if (before.length > MAX_VALUES) return false;
    this.#values.set(name, [...before, kept]);
    this.#newTexts.push(...kept);
    return true;
  }

  set(name: string, value: Value): void {
    this.#values.set(name, [value]);
  }

  #find(name: string): readonly Value[] | undefined {
    const outer = this.#outer;
    return this.#values.get(name) ?? (outer === undefined ? undefined : outer.#find(name));
  }
}

function sameValue(a: Value, b: Value): boolean {
  return a.length === b.length && a.every((field, index) => field === b[index]);
}
