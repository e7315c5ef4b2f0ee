// Owns what variables could hold. A script's assignments are gathered before it is judged, and a name
// keeps every value it was ever given: order and branches do not matter then. Does not resolve words.

import { UNKNOWN } from "./marks.ts";

/** One value: its fields (an array has several). */
export type Value = readonly string[];

/** Beyond this many values a variable counts as unknown, too. */
const MAX_VALUES = 8;
const MAX_LENGTH = 4096;
const NOTHING_KNOWN: readonly Value[] = [[UNKNOWN]];

/** Which shell it is, nobody knows: a change of its name may make any other of it. */
const SHELLS: readonly Value[] = [
  "sh",
  "bash",
  "/bin/sh",
  "/bin/bash",
  "dash",
  "zsh",
  "/bin/zsh",
].map((name) => [name]);

/** What a shell sets by itself, where it names a program. */
const GIVEN: readonly [string, readonly Value[]][] = [
  ["SHELL", SHELLS],
  ["BASH", [["bash"], ["/bin/bash"]]],
  ["0", SHELLS],
  ["_", SHELLS],
];

export class Scope {
  readonly #values: Map<string, readonly Value[]>;
  /** Names that a script assigns to, in contrast to what it is given. */
  readonly #set: Set<string>;

  constructor(
    values: Iterable<readonly [string, readonly Value[]]> = GIVEN,
    set: Iterable<string> = [],
  ) {
    this.#values = new Map(values);
    this.#set = new Set(set);
  }

  /** A copy, for text with its own positional parameters. */
  child(): Scope {
    return new Scope(this.#values, this.#set);
  }

  wasSetHere(name: string): boolean {
    return this.#set.has(name);
  }

  /** Every text that the script itself put into a variable. */
  *textsSetHere(): Iterable<string> {
    for (const name of this.#set) for (const value of this.get(name)) yield* value;
  }

  get(name: string): readonly Value[] {
    return this.#values.get(name) ?? NOTHING_KNOWN;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Adds a possible value; says whether it was new. */
  add(name: string, value: Value): boolean {
    this.#set.add(name);
    const before = this.#values.get(name) ?? [];
    const size = value.reduce((sum, field) => sum + field.length, 0);
    const kept: Value = size > MAX_LENGTH || before.length >= MAX_VALUES ? [UNKNOWN] : value;
    if (before.some((other) => sameValue(other, kept))) return false;
    if (before.length > MAX_VALUES) return false;
    this.#values.set(name, [...before, kept]);
    return true;
  }

  set(name: string, value: Value): void {
    this.#values.set(name, [value]);
  }
}

function sameValue(a: Value, b: Value): boolean {
  return a.length === b.length && a.every((field, index) => field === b[index]);
}
