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
  readonly #outer: Scope | undefined;
  /** Names that a script assigns to, in contrast to what it is given. */
  readonly #set = new Set<string>();
  /** What a script put into variables since somebody looked. */
  #fresh: string[] = [];

  constructor(values: Iterable<readonly [string, readonly Value[]]> = GIVEN, outer?: Scope) {
    this.#values = new Map(values);
    this.#outer = outer;
  }

  /** For text with its own positional parameters; whatever else it sets stays inside, too. */
  child(): Scope {
    return new Scope([], this);
  }

  wasSetHere(name: string): boolean {
    return this.#set.has(name) || (this.#outer?.wasSetHere(name) ?? false);
  }

  /** Every text that the script itself put into a variable, once: many texts may share a scope. */
  takeFresh(): readonly string[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  get(name: string): readonly Value[] {
    return this.#find(name) ?? NOTHING_KNOWN;
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** Adds a possible value; says whether it was new. */
  add(name: string, value: Value): boolean {
    this.#set.add(name);
    const before = this.#find(name) ?? [];
    const size = value.reduce((sum, field) => sum + field.length, 0);
    const kept: Value = size > MAX_LENGTH || before.length >= MAX_VALUES ? [UNKNOWN] : value;
    if (before.some((other) => sameValue(other, kept))) return false;
    if (before.length > MAX_VALUES) return false;
    this.#values.set(name, [...before, kept]);
    this.#fresh.push(...kept);
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
