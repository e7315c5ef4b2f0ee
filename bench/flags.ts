// Owns the flags of the programs that developers run by npm: --help, and a sentence and exit code 2
// for what is wrong.

import { Command, InvalidArgumentError } from "commander";

const USAGE_CODE = 2;

/** `script` is how npm knows it: its flags come behind `--`. */
export function parseFlags(script: string, description: string): Command {
  const help = `npm run ${script} -- --help`;
  return new Command(`npm run ${script} --`)
    .usage("[flags]")
    .description(description)
    .helpOption("-h, --help", "print this")
    .allowExcessArguments(false)
    .showHelpAfterError(`\`${help}\` lists what there is.`)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_CODE));
}

export function wholeNumber(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("A whole number is wanted, 0 or more.");
}

/** Rounds that measure nothing are no rounds. */
export function positiveNumber(text: string): number {
  const number = wholeNumber(text);
  if (number > 0) return number;
  throw new InvalidArgumentError("A whole number is wanted, 1 or more.");
}

/** Names with commas between, each one of these. */
export function pickSome<Name extends string>(
  what: string,
  known: readonly Name[],
): (text: string) => readonly Name[] {
  const isKnown = (name: string): name is Name => known.some((one) => one === name);
  return (text) => {
    const asked = text.split(",");
    const unknown = asked.filter((name) => !isKnown(name));
    if (unknown.length === 0) return asked.filter(isKnown);
    throw new InvalidArgumentError(
      `No such ${what}: ${unknown.join(", ")}. There are ${known.join(", ")}.`,
    );
  };
}

/** Part of an hour is an hour's worth, too. */
export function minutes(text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && number >= 0 && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("A number of minutes is wanted, 0 or more.");
}
