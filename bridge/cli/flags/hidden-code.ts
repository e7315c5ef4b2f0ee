// Owns taking the number of `--code` off this process's command line, which every process of this
// machine can read while the verb runs. Until Node has started it stands there: `--code` alone, which
// asks, shows it to no one.

/** Replaces the process's title, which is its command line, if it has a code. */
export function hideCode(args: readonly string[] = process.argv): void {
  if (args.some((arg) => arg === "--code" || arg.startsWith("--code="))) process.title = "pairpty";
}
