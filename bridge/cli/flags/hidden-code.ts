// Removes the number of `--code` from this process's command line, which other processes can read. It
// is visible until Node has started; `--code` alone, which asks, never shows it.

/** Replaces the process title, which is its command line, if it contains a code. */
export function hideCode(args: readonly string[] = process.argv): void {
  if (args.some((arg) => arg === "--code" || arg.startsWith("--code="))) process.title = "pairpty";
}
