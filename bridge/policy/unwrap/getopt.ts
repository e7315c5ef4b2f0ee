// Owns reading the options of a program up to its first operand, as getopt does. Reports an unknown
// option, since the operands may then be elsewhere.

export interface OptionShape {
  /** Letters that take a value. */
  readonly values?: string;
  /** Letters that take no value; `*` stands for any other letter. */
  readonly flags?: string;
  /** Long options that take a value. */
  readonly long?: readonly string[];
  /** Long options that take no value. */
  readonly longFlags?: readonly string[];
  /** Options and operands may mix (GNU): reading continues after an operand. */
  readonly mixesOperands?: boolean;
}

export interface Options {
  /** In order: `-n5` and `-n 5` give `["n", "5"]`, `--signal=TERM` gives `["signal", "TERM"]`. */
  readonly given: readonly (readonly [name: string, value: string | undefined])[];
  readonly operands: readonly string[];
  /** Whether there is an option that the shape does not have. */
  readonly hasUnknown: boolean;
}

export function readOptions(args: readonly string[], shape: OptionShape): Options {
  const given: [string, string | undefined][] = [];
  const operands: string[] = [];
  let strange = false;
  let index = 0;
  const next = (): string | undefined => args[++index];
  for (; index < args.length; index++) {
    const word = args[index] ?? "";
    if (word === "--") {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      if (!shape.mixesOperands) {
        operands.push(...args.slice(index));
        break;
      }
      operands.push(word);
    } else if (word.startsWith("--")) {
      const [name = "", ...rest] = word.slice(2).split("=");
      const inline = rest.length > 0 ? rest.join("=") : undefined;
      const whole = findFullName(name, shape);
      // Whether a mere prefix takes a value is not known.
      strange ||= whole !== name;
      const takes = whole !== undefined && shape.long?.includes(whole);
      given.push([whole ?? name, inline ?? (takes ? next() : undefined)]);
    } else {
      strange = readLetters(word, shape, given, next) || strange;
    }
  }
  return { given, operands, hasUnknown: strange };
}

/** Returns the long option with this unique prefix (`--upload-pa`). */
function findFullName(name: string, shape: OptionShape): string | undefined {
  const all = [...(shape.long ?? []), ...(shape.longFlags ?? [])];
  if (all.includes(name)) return name;
  return all.find((candidate) => candidate.startsWith(name));
}

function readLetters(
  word: string,
  shape: OptionShape,
  given: [string, string | undefined][],
  next: () => string | undefined,
): boolean {
  let strange = false;
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? "";
    if (shape.values?.includes(letter)) {
      const rest = word.slice(at + 1);
      given.push([letter, rest === "" ? next() : rest]);
      return strange;
    }
    if (!shape.flags?.includes(letter) && !shape.flags?.includes("*")) strange = true;
    given.push([letter, undefined]);
  }
  return strange;
}

/** Returns the values of some options, in order. */
export function valuesFor(options: Options, ...names: readonly string[]): string[] {
  return options.given.flatMap(([name, value]) =>
    names.includes(name) && value !== undefined ? [value] : [],
  );
}

export function hasOption(options: Options, ...names: readonly string[]): boolean {
  return options.given.some(([name]) => names.includes(name));
}

/** Maximum number of letters in front of a value that is glued to its option. */
const MAX_CLUSTER = 6;

/** Returns the possible values in a word: `-qcrm x` may be `-q -c 'rm x'`; `!` and `|` may start a command. */
export function gluedValues(word: string): readonly string[] {
  if (/^[!|]/.test(word)) return [word.slice(1)];
  if (!/^-[A-Za-z]/.test(word)) return [];
  const values: string[] = [];
  for (let at = 2; at <= MAX_CLUSTER && at < word.length; at++) {
    values.push(word.slice(at).replace(/^[!|=]/, ""));
    if (!/[A-Za-z]/.test(word[at] ?? "")) break;
  }
  return values;
}
