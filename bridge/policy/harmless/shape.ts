// Owns how the table of harmless calls is written: one program's options, sub-commands and operands
// that by themselves write no file, run and load nothing and lead to no other folder. Data only;
// match.ts reads it.

/** A regular expression, or a test of another kind. */
export type WordTest = Pick<RegExp, "test">;

export interface Shape {
  /**
   * The options, separated by blanks: `-q` and `--quiet` take no value, `-n=` and `--depth=` take any,
   * `--color[=]` takes one only if it is glued, `--format=json|text` takes one of these, `--pretty[on|off]`
   * may be followed by one of these, `--prefix=@` takes a path that stays in the folder, and `--import=!`
   * loads a file (seed 004 does not judge files: the verdict is `unknown`, the level stays `safe`).
   */
  readonly options?: string;
  /**
   * Letters hold no glued value: yargs, mri, minimist, nopt, optionator and `tree` read `-tc=x` as
   * `-t -c=x`. A value is the next word, follows `=`, or is a number.
   */
  readonly apart?: boolean;
  /** Each word with a dash is one option (`-name`), not a cluster of letters. */
  readonly wholeWords?: boolean;
  /** With `wholeWords`: a value may follow `=`, as in Go's tools. */
  readonly equals?: boolean;
  /** Without one of these it is another kind of call. */
  readonly needs?: string;
  /** What the operands may be. Without it: anything. */
  readonly operands?: Operands;
  /** Sub-commands; names that mean the same are separated by blanks. The first operand must be one. */
  readonly verbs?: Readonly<Record<string, Call>>;
  /** Sub-commands that are nobody's but the project's: names that scripts usually have. */
  readonly scripts?: { readonly like: WordTest; readonly call: Call };
  /** What `-m` runs, by its name; every word behind it is for that module. */
  readonly modules?: Readonly<Record<string, Call>>;
  /** What follows `--`. Without it: more operands. */
  readonly behind?: Shape;
  /** `--` ends nothing: options may follow it. */
  readonly endless?: boolean;
  /** No argument does harm. */
  readonly anything?: boolean;
  /** Decides about all arguments at once, where options and operands cannot be told apart. */
  readonly fits?: (args: readonly string[]) => boolean;
  /** The first operand is a program of the project, and what follows is for it. */
  readonly runsFirst?: boolean;
  /** What that program may be told as sub-commands. Without it: anything. */
  readonly told?: WordTest;
  /** What it does beyond this machine and project: the doors ask about it [A27]. */
  readonly outward?: string;
  /** No argument may be like this: it makes a harmless option run something. */
  readonly never?: RegExp;
  /** Files in the folder say what it does (package.json, .git/config): elsewhere it is not harmless. */
  readonly here?: boolean;
}

/** Several shapes: harmless if one of them fits. */
export type Call = Shape | readonly Shape[];

export interface Operands {
  readonly most?: number;
  /** They are paths, and stay in the folder; `from` this one on. */
  readonly inside?: { readonly from: number };
  /** They are changed: none of them may be guarded (paths.ts); `from` this one on. */
  readonly changes?: { readonly from: number };
  readonly like?: WordTest;
  /** The first one: this instead of `like`. */
  readonly first?: WordTest;
  /** What they are called decides: a pattern for file names is not known. */
  readonly byName?: boolean;
  /** What one that is not `like` this may be, for whoever is asked about it. */
  readonly else?: string;
}

/** Sub-commands of a package manager: they take these options, too, and hold no glued values. */
export function taking(
  options: string,
  verbs: Readonly<Record<string, Call>>,
): Readonly<Record<string, Call>> {
  const widened = (shape: Shape): Shape => ({
    ...shape,
    apart: true,
    options: `${options} ${shape.options ?? ""}`,
  });
  return Object.fromEntries(
    Object.entries(verbs).map(([name, call]) => [
      name,
      "length" in call ? call.map(widened) : widened(call),
    ]),
  );
}
