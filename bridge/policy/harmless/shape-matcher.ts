// Owns checking whether a call fits its shape (call-shape.ts): every part of it must be known.
// Pure. A call that does not fit is not necessarily harmful, only not known to be harmless.

import { formatCode } from "../rule.ts";
import { ANY_CHAR, ANY_TEXT, isGlob, UNKNOWN_VALUE } from "../word-marks.ts";
import { isGuarded } from "../path-text.ts";
import { MAX_SUB_COMMANDS, SUB_COMMAND } from "../destructive-verbs.ts";
import type { Level } from "../verdict.ts";
import { type Option, parseShapeOptions } from "./call-shape.ts";
import type { HarmlessCall, CallShape } from "./call-shape.ts";

export interface Mismatch {
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
export function findMismatch(
  name: string,
  args: readonly string[],
  call: HarmlessCall,
  leadsOut: LeadsOut,
): Mismatch | undefined {
  const shapes = "length" in call ? call : [call];
  let first: Mismatch | undefined;
  for (const shape of shapes) {
    const found = new ShapeMatcher(name, args, shape, leadsOut).findMismatch();
    if (found === undefined) return undefined;
    if (found.isOutward === true) return found;
    first ??= found;
  }
  return first;
}

class ShapeMatcher {
  readonly #name: string;
  readonly #args: readonly string[];
  readonly #shape: CallShape;
  readonly #leadsOut: LeadsOut;
  readonly #given = new Set<string>();
  readonly #operands: string[] = [];
  #index = 0;

  constructor(name: string, args: readonly string[], shape: CallShape, leadsOut: LeadsOut) {
    this.#name = name;
    this.#args = args;
    this.#shape = shape;
    this.#leadsOut = leadsOut;
  }

  findMismatch(): Mismatch | undefined {
    const {
      allowsAnything: anything,
      matchesAll,
      subCommands,
      scripts,
      modules,
      afterDashes,
      optionsAfterDashes,
      runsFirst,
    } = this.#shape;
    const banned = this.#args.find((word) => this.#shape.forbidden?.test(word) === true);
    if (banned !== undefined) return this.#toMismatch(banned, "runs a program");
    if (anything === true) return undefined;
    if (matchesAll !== undefined) return matchesAll(this.#args) ? undefined : this.#toMismatch("");
    for (; this.#index < this.#args.length; this.#index++) {
      const word = this.#args[this.#index] ?? "";
      if (word === "-m" && modules !== undefined) return this.#matchModule(modules);
      if (word === "--") {
        if (subCommands !== undefined || scripts !== undefined || optionsAfterDashes === true)
          continue;
        const rest = this.#args.slice(this.#index + 1);
        if (afterDashes !== undefined) return this.#matchAfterDashes(rest, afterDashes);
        this.#operands.push(...rest);
        break;
      }
      if (mayBeOption(word)) {
        const found = this.#matchOption(word);
        if (found !== undefined) return found;
      } else if (subCommands !== undefined || scripts !== undefined) {
        return this.#matchSubCommand(word, this.#args.slice(this.#index + 1));
      } else {
        this.#operands.push(word);
        if (runsFirst !== true) continue;
        const programArgs = this.#matchProgramArguments(this.#args.slice(this.#index + 1));
        if (programArgs !== undefined) return programArgs;
        break;
      }
    }
    return this.#matchOperandsAndNeeds();
  }

  /**
   * Checks the words after `--`, and the operands before it; without an operand there, the first word
   * after `--` is one.
   */
  #matchAfterDashes(rest: readonly string[], behind: CallShape): Mismatch | undefined {
    const { operands } = this.#shape;
    const isFirst = this.#operands.length === 0 && operands?.first !== undefined;
    if (isFirst) this.#operands.push(...rest.slice(0, 1));
    const programArgs = isFirst ? rest.slice(1) : rest;
    return (
      this.#matchOperandsAndNeeds() ?? findMismatch(this.#name, programArgs, behind, this.#leadsOut)
    );
  }

  #matchOperandsAndNeeds(): Mismatch | undefined {
    const { needs } = this.#shape;
    if (needs !== undefined && !needs.split(" ").some((name) => this.#given.has(name)))
      return this.#toMismatch(this.#args[0] ?? "");
    return this.#matchOperands();
  }

  #matchOption(word: string): Mismatch | undefined {
    if (word.includes(UNKNOWN_VALUE) || !word.startsWith("-"))
      return this.#toMismatch(word, "contains a value known only at run time");
    const options = parseShapeOptions(this.#shape.options ?? "");
    if (word.startsWith("--") || this.#shape.wholeWords === true) {
      const isCut = word.startsWith("--") || this.#shape.allowsEquals === true;
      const cut = isCut ? word.indexOf("=") : -1;
      const name = cut < 0 ? word : word.slice(0, cut);
      return this.#matchOptionValue(
        name,
        cut < 0 ? undefined : word.slice(cut + 1),
        options.get(name),
      );
    }
    for (let at = 1; at < word.length; at++) {
      const name = `-${word[at]}`;
      const option = options.get(name);
      const glued = at + 1 < word.length ? word.slice(at + 1) : undefined;
      const takes = option !== undefined && option.value !== "none";
      if (takes && this.#shape.noGluedValues === true && glued !== undefined) {
        const value = APART_VALUE.exec(glued)?.[1];
        return value === undefined
          ? this.#toMismatch(word)
          : this.#matchOptionValue(name, value, option);
      }
      const found = this.#matchOptionValue(name, takes ? glued : undefined, option);
      if (found !== undefined || takes) return found;
    }
    return undefined;
  }

  #matchOptionValue(
    name: string,
    glued: string | undefined,
    option: Option | undefined,
  ): Mismatch | undefined {
    if (option === undefined) return this.#toMismatch(name);
    this.#given.add(name);
    if (option.loads) return { ...this.#toMismatch(name, "loads a file"), level: "safe" };
    if (option.value === "none") return glued === undefined ? undefined : this.#toMismatch(name);
    if (glued === undefined && option.value === "glued") return undefined;
    if (option.value === "maybe") {
      if (glued !== undefined) return this.#toMismatch(name);
      if (option.allowed?.has(this.#args[this.#index + 1] ?? "") === true) this.#index++;
      return undefined;
    }
    const value = glued ?? this.#args[++this.#index];
    if (value === undefined) return this.#toMismatch(name);
    // Some programs read a word with a dash as the next option, whatever precedes it; checkers pass
    // even a glued value on as a separate word (`--changed=--output=x` goes to git).
    if ((glued === undefined || this.#shape.noGluedValues === true) && /^-\D/.test(value))
      return this.#toMismatch(value);
    if (value.includes(UNKNOWN_VALUE))
      return this.#toMismatch(name, "gets a value known only at run time");
    // The first file may be the value, and the next one an option.
    if (isGlob(value)) return this.#toMismatch(name, "gets its value from a file pattern");
    if (option.allowed !== undefined && !option.allowed.has(value))
      return this.#toMismatch(`${name} ${value}`);
    if (option.inside && (this.#leadsOut(value) || isGuarded(value)))
      return this.#toMismatch(value, "reaches outside the folder");
    return undefined;
  }

  #matchSubCommand(verb: string, rest: readonly string[]): Mismatch | undefined {
    const { subCommands = NO_VERBS, scripts } = this.#shape;
    let call = toCallsByName(subCommands).get(verb);
    if (call === undefined && scripts?.like.test(verb)) call = scripts.call;
    if (call === undefined) return this.#toMismatch(verb);
    return findMismatch(`${this.#name} ${verb}`, rest, call, this.#leadsOut);
  }

  #matchModule(modules: Verbs): Mismatch | undefined {
    const [, module = "", ...rest] = this.#args.slice(this.#index);
    const call = toCallsByName(modules).get(module);
    if (call === undefined) return this.#toMismatch(`-m ${module}`);
    return findMismatch(`${this.#name} -m ${module}`, rest, call, this.#leadsOut);
  }

  /** Checks the sub-commands of the project's own program: the words before the first other one. */
  #matchProgramArguments(rest: readonly string[]): Mismatch | undefined {
    const { programArguments: programArgs } = this.#shape;
    if (programArgs === undefined) return undefined;
    const words = rest.filter((word) => !word.startsWith("-")).slice(0, MAX_SUB_COMMANDS);
    const end = words.findIndex((word) => !SUB_COMMAND.test(word));
    const verb = words.slice(0, end < 0 ? undefined : end).find((word) => !programArgs.test(word));
    return verb === undefined
      ? undefined
      : this.#toMismatch(verb, "may be hard to undo, judging by its name");
  }

  #matchOperands(): Mismatch | undefined {
    const { operands = {} } = this.#shape;
    const { max = Infinity, inside, changes, pattern, first = pattern, byName, ...rest } = operands;
    for (const [index, word] of this.#operands.entries()) {
      if (word.includes(UNKNOWN_VALUE))
        return this.#toMismatch(word, "contains a value known only at run time");
      const form = index === 0 ? first : pattern;
      if (index >= max) return this.#toMismatch(word);
      if (byName === true && isGlob(word)) return this.#toMismatch(word, "matches any file");
      if (form?.test(word) === false) return this.#toMismatch(word, rest.mismatchReason);
      if (inside !== undefined && index >= inside.from && this.#leadsOut(word))
        return this.#toMismatch(word, "reaches outside the folder");
      if (changes !== undefined && index >= changes.from && isGuarded(word))
        return this.#toMismatch(word, "may change what runs later");
    }
    return this.#toOutward();
  }

  #toOutward(): Mismatch | undefined {
    const { outwardEffect } = this.#shape;
    if (outwardEffect === undefined) return undefined;
    return { ...this.#toMismatch("", outwardEffect), level: "safe", isOutward: true };
  }

  /** Builds the mismatch. Without `what`, the reason is that the safe list lacks this call. */
  #toMismatch(word: string, what?: string): Mismatch {
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

/** What may directly follow a letter with `noGluedValues`: `=value`, or a number. */
const APART_VALUE = /^(?:=(?=.))?((?<==)[\s\S]*|\d+)$/;

type Verbs = Readonly<Record<string, HarmlessCall>>;

const NO_VERBS: Verbs = {};
const CALLS = new WeakMap<Verbs, ReadonlyMap<string, HarmlessCall>>();

/** Returns the calls by each of their names; built once per table. */
function toCallsByName(verbs: Verbs): ReadonlyMap<string, HarmlessCall> {
  const known = CALLS.get(verbs);
  if (known !== undefined) return known;
  const calls = new Map(
    Object.entries(verbs).flatMap(([names, call]) =>
      names.split(" ").map((name): [string, HarmlessCall] => [name, call]),
    ),
  );
  CALLS.set(verbs, calls);
  return calls;
}

/** Whether a word is or may be an option: it starts with a dash, a glob or something unknown. */
function mayBeOption(word: string): boolean {
  const [first = ""] = word;
  return (first === "-" && word !== "-") || [UNKNOWN_VALUE, ANY_CHAR, ANY_TEXT].includes(first);
}
