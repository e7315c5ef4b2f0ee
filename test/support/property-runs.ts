// Owns how many cases a generated test tries: all of them in CI, a tenth in the short run of `npm test`.

/** Fewer would leave some branches of a generator untried. */
const MIN_RUNS = 10;

/** Returns fast-check's parameter for this many runs in CI. */
export function runs(all: number): { numRuns: number } {
  const isShort = process.env["TEST_PART"] === "local";
  return { numRuns: isShort ? Math.min(all, Math.max(MIN_RUNS, Math.ceil(all / 10))) : all };
}
