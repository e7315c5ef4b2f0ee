// Decides what the window supports (colours, keys, drawing) from the environment. Pure.

export interface WindowEnvironment {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: { readonly isTTY?: boolean };
  readonly stderr: { readonly isTTY?: boolean };
}

/** Returns the surroundings of this process. */
export function getWindowEnvironment(): WindowEnvironment {
  const { env: environment, stdin, stdout, stderr } = process;
  return { environment, stdin, stdout, stderr };
}

/** Whether to use colours: `NO_COLOR` wins over `FORCE_COLOR`, and both over detection. */
export function hasColors(
  environment: WindowEnvironment["environment"],
  { isTTY = false }: { readonly isTTY?: boolean },
): boolean {
  const { NO_COLOR, FORCE_COLOR } = environment;
  if (isSet(NO_COLOR)) return false;
  if (isSet(FORCE_COLOR)) return isTruthy(FORCE_COLOR);
  return isTTY && !isDumb(environment) && !isCi(environment);
}

/** Whether this runs in CI, where no one can answer, even with a terminal. */
export function isCi({ CI }: WindowEnvironment["environment"]): boolean {
  return isTruthy(CI);
}

/** Whether the terminal shows plain text only. */
export function isDumb({ TERM }: WindowEnvironment["environment"]): boolean {
  return TERM === "dumb";
}

/** Whether a person can be asked, and can answer. */
export function canAsk({ environment, stdin, stderr }: WindowEnvironment): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && !isCi(environment);
}

/**
 * Whether single keys work: only if all three streams are a terminal, since another program may read a
 * pipe.
 */
export function canReadKeys(around: WindowEnvironment): boolean {
  const { environment, stdout } = around;
  return canAsk(around) && stdout.isTTY === true && !isDumb(environment);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

function isTruthy(value: string | undefined): boolean {
  return isSet(value) && value !== "0" && value.toLowerCase() !== "false";
}
