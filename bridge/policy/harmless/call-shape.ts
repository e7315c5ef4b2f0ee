// Owns the format of the table of harmless calls: the options, sub-commands and operands of a
// program that write no file, run and load nothing and lead to no other folder. Data only;
// shape-matcher.ts reads it. Also owns parsing the option line of a shape (call-shape.ts describes
// it). Each line is parsed once.

/** A regular expression, or another test of a word. */
export type WordTest = Pick<RegExp, "test">;

export interface CallShape {
  /**
   * The options, separated by blanks: `-q` and `--quiet` take no value, `-n=` and `--depth=` take any,
   * `--color[=]` takes one only if it is glued, `--format=json|text` takes one of these,
   * `--pretty[on|off]` may be followed by one of these, `--prefix=@` takes a path that stays in the
   * folder, and `--import=!` loads a file (the verdict is then `unknown`, while the level stays
   * `safe`).
   */
  readonly options?: string;
  /**
   * Letters have no glued values: yargs, mri, minimist, nopt, optionator and `tree` read `-tc=x` as `-t
   * -c=x`. A value is the next word, follows `=`, or is a number.
   */
  readonly noGluedValues?: boolean;
  /** Each word with a dash is one option (`-name`), not a cluster of letters. */
  readonly wholeWords?: boolean;
  /** With `wholeWords`: a value may follow `=`, as in Go's tools. */
  readonly allowsEquals?: boolean;
  /** One of these options must be given for the shape to apply. */
  readonly needs?: string;
  /** The operands that are allowed; any without it. */
  readonly operands?: Operands;
  /** Sub-commands; synonyms are separated by blanks. The first operand must be one. */
  readonly subCommands?: Readonly<Record<string, HarmlessCall>>;
  /** Sub-commands that the project defines: usual names of scripts. */
  readonly scripts?: { readonly like: WordTest; readonly call: HarmlessCall };
  /** Modules that `-m` may run, by name; every word after one is an argument of it. */
  readonly modules?: Readonly<Record<string, HarmlessCall>>;
  /** The words after `--`; more operands without it. */
  readonly afterDashes?: CallShape;
  /** Options may follow `--`. */
  readonly optionsAfterDashes?: boolean;
  /** Every argument is harmless. */
  readonly allowsAnything?: boolean;
  /** Decides about all arguments at once, where options and operands cannot be told apart. */
  readonly matchesAll?: (args: readonly string[]) => boolean;
  /** The first operand is a program of the project, and the rest are its arguments. */
  readonly runsFirst?: boolean;
  /** The sub-commands that this program may get; any without it. */
  readonly programArguments?: WordTest;
  /** The effect beyond this machine and project; such a call needs an approval [A27]. */
  readonly outwardEffect?: string;
  /** No argument may match this: it makes a harmless option run something. */
  readonly forbidden?: RegExp;
  /**
   * Files in the folder decide what the call does (package.json, .git/config), so in another folder it
   * is not harmless.
   */
  readonly dependsOnFolder?: boolean;
}

/** Several shapes: harmless if one of them fits. */
export type HarmlessCall = CallShape | readonly CallShape[];

export interface Operands {
  readonly max?: number;
  /** Operands from this index on are paths that must stay in the folder. */
  readonly inside?: { readonly from: number };
  /** Operands from this index on are files that change: none may be a guarded path (path-text.ts). */
  readonly changes?: { readonly from: number };
  readonly pattern?: WordTest;
  /** Replaces `pattern` for the first operand. */
  readonly first?: WordTest;
  /** The name of an operand decides, so a file-name pattern is not allowed. */
  readonly byName?: boolean;
  /** The reason for an operand that does not match `pattern`. */
  readonly mismatchReason?: string;
}

/** Adds options to the sub-commands of a package manager, whose letters have no glued values. */
export function withOptions(
  options: string,
  verbs: Readonly<Record<string, HarmlessCall>>,
): Readonly<Record<string, HarmlessCall>> {
  const widened = (shape: CallShape): CallShape => ({
    ...shape,
    noGluedValues: true,
    options: `${options} ${shape.options ?? ""}`,
  });
  return Object.fromEntries(
    Object.entries(verbs).map(([name, call]) => [
      name,
      "length" in call ? call.map(widened) : widened(call),
    ]),
  );
}

export interface Option {
  readonly value: "none" | "needed" | "glued" | "maybe";
  readonly allowed?: ReadonlySet<string>;
  /** The value is a path that must stay in the folder. */
  readonly inside: boolean;
  readonly loads: boolean;
}

const TOKEN = /^(-[^=[]+)(?:(\[)?(=)?([^\]]*)\]?)?$/;
const READ = new Map<string, ReadonlyMap<string, Option>>();

export function parseShapeOptions(line: string): ReadonlyMap<string, Option> {
  const known = READ.get(line);
  if (known !== undefined) return known;
  const options = new Map(line.split(/\s+/).filter(Boolean).map(parseOptionLine));
  READ.set(line, options);
  return options;
}

function parseOptionLine(token: string): readonly [string, Option] {
  const [, name = "", bracket, sign, text = ""] = TOKEN.exec(token) ?? [];
  if (name === "") throw new Error(`${token} is not an option`);
  const isSpecial = text === "@" || text === "!";
  const option = {
    value: parseValueKind(bracket !== undefined, sign !== undefined),
    ...(text === "" || isSpecial ? {} : { allowed: new Set(text.split("|")) }),
    inside: text === "@",
    loads: text === "!",
  };
  return [name, option];
}

function parseValueKind(isOptional: boolean, hasSign: boolean): Option["value"] {
  if (isOptional) return hasSign ? "glued" : "maybe";
  return hasSign ? "needed" : "none";
}
