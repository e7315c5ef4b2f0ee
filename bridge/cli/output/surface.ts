// Owns what the window in front of us can take: colours, keys, drawings. Pure: what the
// environment says goes in, decisions come out.

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: { readonly isTTY?: boolean };
  readonly stderr: { readonly isTTY?: boolean };
}

/** What this process has. */
export function surroundings(): Surroundings {
  const { env: environment, stdin, stdout, stderr } = process;
  return { environment, stdin, stdout, stderr };
}

/** `NO_COLOR` wins over `FORCE_COLOR`, and that over everything that we could find out. */
export function hasColors(
  environment: Surroundings["environment"],
  { isTTY = false }: { readonly isTTY?: boolean },
): boolean {
  const { NO_COLOR, FORCE_COLOR } = environment;
  if (isSet(NO_COLOR)) return false;
  if (isSet(FORCE_COLOR)) return saysYes(FORCE_COLOR);
  return isTTY && !isDumb(environment) && !isCi(environment);
}

/** Nobody sits at a CI's terminal, even where there is one. */
export function isCi({ CI }: Surroundings["environment"]): boolean {
  return saysYes(CI);
}

/** It shows lines of plain text; anything else may come out as rubbish. */
export function isDumb({ TERM }: Surroundings["environment"]): boolean {
  return TERM === "dumb";
}

/** Somebody can be asked something, and can answer. */
export function canAsk({ environment, stdin, stderr }: Surroundings): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && !isCi(environment);
}

/** Single keys count only where all three are the same person's: in a pipe another program may read. */
export function takesKeys(around: Surroundings): boolean {
  const { environment, stdout } = around;
  return canAsk(around) && stdout.isTTY === true && !isDumb(environment);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

function saysYes(value: string | undefined): boolean {
  return isSet(value) && value !== "0" && value.toLowerCase() !== "false";
}
