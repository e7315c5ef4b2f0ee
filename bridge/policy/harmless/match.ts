// Owns checking whether a call fits its shape (shape.ts): every part of it must be known. Pure. A call
// that does not fit is not necessarily harmful, only not known to be harmless.

import { formatCode } from "../call-text.ts";
import { ANY_CHAR, ANY_TEXT, isGlob, UNKNOWN } from "../marks.ts";
import { isGuarded } from "../paths.ts";
import { MAX_SUB_COMMANDS, SUB_COMMAND } from "../undoing.ts";
import type { Level } from "../verdict.ts";
import { type Option, optionsOf } from "./options.ts";
import type { Call, Shape } from "./shape.ts";

export interface Misfit {
  readonly why: string;
  /** The reason without operands and values. */
  readonly kind: string;
  readonly level: Level;
  /** The whole call is known, and it sends something out. */
  readonly isOutward?: true;
  /** The reason says what is wrong with the call, not only that the safe list lacks it. */
  readonly isListed?: true;
}

/** Whether a path leads out of the folder where the command runs. */
export type LeadsOut = (path: string) => boolean;

/** Returns the first part of the call that its shape does not allow; undefined if the call fits. */
export function misfit(
  name: string,
  args: readonly string[],
  call: Call,
  leadsOut: LeadsOut,
): Misfit | undefined {
  const shapes = "length" in call ? call : [call];
  let first: Misfit | undefined;
  for (const shape of shapes) {
    const found = new Matching(name, args, shape, leadsOut).misfit();
    if (found === undefined) return undefined;
    if (found.isOutward === true) return found;
    first ??= found;
  }
  return first;
}

class Matching {
  readonly #name: string;
  readonly #args: readonly string[];
  readonly #shape: Shape;
  readonly #leadsOut: LeadsOut;
  readonly #given = new Set<string>();
  readonly #operands: string[] = [];
  #index = 0;

  constructor(name: string, args: readonly string[], shape: Shape, leadsOut: LeadsOut) {
    this.#name = name;
    this.#args = args;
    this.#shape = shape;
    this.#leadsOut = leadsOut;
  }

  misfit(): Misfit | undefined {
    const { anything, fits, verbs, scripts, modules, behind, endless, runsFirst } = this.#shape;
    const banned = this.#args.find((word) => this.#shape.never?.test(word) === true);
    if (banned !== undefined) return this.#strange(banned, "runs a program");
    if (anything === true) return undefined;
    if (fits !== undefined) return fits(this.#args) ? undefined : this.#strange("");
    for (; this.#index < this.#args.length; this.#index++) {
      const word = this.#args[this.#index] ?? "";
      if (word === "-m" && modules !== undefined) return this.#module(modules);
      if (word === "--") {
        if (verbs !== undefined || scripts !== undefined || endless === true) continue;
        const rest = this.#args.slice(this.#index + 1);
        if (behind !== undefined) return this.#behindMisfit(rest, behind);
        this.#operands.push(...rest);
        break;
      }
      if (isOptionOrMore(word)) {
        const found = this.#option(word);
        if (found !== undefined) return found;
      } else if (verbs !== undefined || scripts !== undefined) {
        return this.#verb(word, this.#args.slice(this.#index + 1));
      } else {
        this.#operands.push(word);
        if (runsFirst !== true) continue;
        const told = this.#toldMisfit(this.#args.slice(this.#index + 1));
        if (told !== undefined) return told;
        break;
      }
    }
    return this.#wholeMisfit();
  }

  /**
   * Checks the words after `--`, and the operands before it; without an operand there, the first word
   * after `--` is one.
   */
  #behindMisfit(rest: readonly string[], behind: Shape): Misfit | undefined {
    const { operands } = this.#shape;
    const isFirst = this.#operands.length === 0 && operands?.first !== undefined;
    if (isFirst) this.#operands.push(...rest.slice(0, 1));
    const told = isFirst ? rest.slice(1) : rest;
    return this.#wholeMisfit() ?? misfit(this.#name, told, behind, this.#leadsOut);
  }

  #wholeMisfit(): Misfit | undefined {
    const { needs } = this.#shape;
    if (needs !== undefined && !needs.split(" ").some((name) => this.#given.has(name)))
      return this.#strange(this.#args[0] ?? "");
    return this.#operandsMisfit();
  }

  #option(word: string): Misfit | undefined {
    if (word.includes(UNKNOWN) || !word.startsWith("-"))
      return this.#strange(word, "contains a value known only at run time");
    const options = optionsOf(this.#shape.options ?? "");
    if (word.startsWith("--") || this.#shape.wholeWords === true) {
      const isCut = word.startsWith("--") || this.#shape.equals === true;
      const cut = isCut ? word.indexOf("=") : -1;
      const name = cut < 0 ? word : word.slice(0, cut);
      return this.#one(name, cut < 0 ? undefined : word.slice(cut + 1), options.get(name));
    }
    for (let at = 1; at < word.length; at++) {
      const name = `-${word[at]}`;
      const option = options.get(name);
      const glued = at + 1 < word.length ? word.slice(at + 1) : undefined;
      const takes = option !== undefined && option.value !== "none";
      if (takes && this.#shape.apart === true && glued !== undefined) {
        const value = APART_VALUE.exec(glued)?.[1];
        return value === undefined ? this.#strange(word) : this.#one(name, value, option);
      }
      const found = this.#one(name, takes ? glued : undefined, option);
      if (found !== undefined || takes) return found;
    }
    return undefined;
  }

  #one(name: string, glued: string | undefined, option: Option | undefined): Misfit | undefined {
    if (option === undefined) return this.#strange(name);
    this.#given.add(name);
    if (option.loads) return { ...this.#strange(name, "loads a file"), level: "safe" };
    if (option.value === "none") return glued === undefined ? undefined : this.#strange(name);
    if (glued === undefined && option.value === "glued") return undefined;
    if (option.value === "maybe") {
      if (glued !== undefined) return this.#strange(name);
      if (option.allowed?.has(this.#args[this.#index + 1] ?? "") === true) this.#index++;
      return undefined;
    }
    const value = glued ?? this.#args[++this.#index];
    if (value === undefined) return this.#strange(name);
    // Some programs read a word with a dash as the next option, whatever precedes it; checkers pass
    // even a glued value on as a separate word (`--changed=--output=x` goes to git).
    if ((glued === undefined || this.#shape.apart === true) && /^-\D/.test(value))
      return this.#strange(value);
    if (value.includes(UNKNOWN)) return this.#strange(name, "gets a value known only at run time");
    // The first file may be the value, and the next one an option.
    if (isGlob(value)) return this.#strange(name, "gets its value from a file pattern");
    if (option.allowed !== undefined && !option.allowed.has(value))
      return this.#strange(`${name} ${value}`);
    if (option.inside && (this.#leadsOut(value) || isGuarded(value)))
      return this.#strange(value, "reaches outside the folder");
    return undefined;
  }

  #verb(verb: string, rest: readonly string[]): Misfit | undefined {
    const { verbs = NO_VERBS, scripts } = this.#shape;
    let call = callsOf(verbs).get(verb);
    if (call === undefined && scripts?.like.test(verb)) call = scripts.call;
    if (call === undefined) return this.#strange(verb);
    return misfit(`${this.#name} ${verb}`, rest, call, this.#leadsOut);
  }

  #module(modules: Verbs): Misfit | undefined {
    const [, module = "", ...rest] = this.#args.slice(this.#index);
    const call = callsOf(modules).get(module);
    if (call === undefined) return this.#strange(`-m ${module}`);
    return misfit(`${this.#name} -m ${module}`, rest, call, this.#leadsOut);
  }

  /** Checks the sub-commands of the project's own program: the words before the first other one. */
  #toldMisfit(rest: readonly string[]): Misfit | undefined {
    const { told } = this.#shape;
    if (told === undefined) return undefined;
    const words = rest.filter((word) => !word.startsWith("-")).slice(0, MAX_SUB_COMMANDS);
    const end = words.findIndex((word) => !SUB_COMMAND.test(word));
    const verb = words.slice(0, end < 0 ? undefined : end).find((word) => !told.test(word));
    return verb === undefined
      ? undefined
      : this.#strange(verb, "may be hard to undo, judging by its name");
  }

  #operandsMisfit(): Misfit | undefined {
    const { operands = {} } = this.#shape;
    const { most = Infinity, inside, changes, like, first = like, byName, ...rest } = operands;
    for (const [index, word] of this.#operands.entries()) {
      if (word.includes(UNKNOWN))
        return this.#strange(word, "contains a value known only at run time");
      const form = index === 0 ? first : like;
      if (index >= most) return this.#strange(word);
      if (byName === true && isGlob(word)) return this.#strange(word, "matches any file");
      if (form?.test(word) === false) return this.#strange(word, rest.else);
      if (inside !== undefined && index >= inside.from && this.#leadsOut(word))
        return this.#strange(word, "reaches outside the folder");
      if (changes !== undefined && index >= changes.from && isGuarded(word))
        return this.#strange(word, "may change what runs later");
    }
    return this.#outward();
  }

  #outward(): Misfit | undefined {
    const { outward } = this.#shape;
    if (outward === undefined) return undefined;
    return { ...this.#strange("", outward), level: "safe", isOutward: true };
  }

  /** Builds the mismatch. Without `what`, the reason is that the safe list lacks this call. */
  #strange(word: string, what?: string): Misfit {
    const call = formatCode(word === "" ? this.#name : `${this.#name} ${word}`);
    const option = /^-[^=\s]*/.exec(word)?.[0] ?? "";
    return {
      why: `${call} ${what ?? "isn't on the safe list"}`,
      kind: [this.#name, option, what ?? "is not known to be harmless"].filter(Boolean).join(" "),
      level: "unknown",
      ...(what !== undefined && { isListed: true }),
    };
  }
}

/** What may directly follow a letter if letters are `apart`: `=value`, or a number. */
const APART_VALUE = /^(?:=(?=.))?((?<==)[\s\S]*|\d+)$/;

type Verbs = Readonly<Record<string, Call>>;

const NO_VERBS: Verbs = {};
const CALLS = new WeakMap<Verbs, ReadonlyMap<string, Call>>();

/** Returns the calls by each of their names; built once per table. */
function callsOf(verbs: Verbs): ReadonlyMap<string, Call> {
  const known = CALLS.get(verbs);
  if (known !== undefined) return known;
  const calls = new Map(
    Object.entries(verbs).flatMap(([names, call]) =>
      names.split(" ").map((name): [string, Call] => [name, call]),
    ),
  );
  CALLS.set(verbs, calls);
  return calls;
}

/** Whether a word is or may be an option: it starts with a dash, a glob or something unknown. */
function isOptionOrMore(word: string): boolean {
  const [first = ""] = word;
  return (first === "-" && word !== "-") || [UNKNOWN, ANY_CHAR, ANY_TEXT].includes(first);
}
