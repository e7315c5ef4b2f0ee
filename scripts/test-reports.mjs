// What scripts/test.mjs and scripts/fresh-machine.mjs read out of vitest's reports. Pure.

/**
 * Tests known to fail now and then, each with its cause: `{ file, test, cause }`. A race is mended, not
 * listed; an entry stands here only while its mend is under way.
 *
 * @type {{ file: string, test: string, cause: string }[]}
 */
export const RACES = [];

/** Returns a line for each test of a file that failed at its first try. */
export function formatSecondTry(file, { assertionResults = [], message = "" }, races = RACES) {
  const failed = assertionResults.filter(({ status }) => status === "failed");
  const names = failed.map(({ fullName }) => fullName);
  // A file that did not load, or a hook that failed, has no failed test.
  if (names.length === 0) names.push(message.split("\n")[0] || "the file itself");
  return names.map((test) => {
    const known = races.find((race) => race.file === file && race.test === test);
    const cause = known?.cause ?? "cause not known: mend it";
    return `passed at the second try: ${file}: ${test} (${cause})`;
  });
}

/**
 * Whether a file failed by a counterexample: a generator found a bug, and a second try with another seed
 * would hide it.
 */
export function hasCounterexample({ assertionResults = [] }) {
  return assertionResults.some(({ failureMessages = [] }) =>
    failureMessages.some((text) => /Property failed after|Counterexample/.test(text)),
  );
}

/** Returns the first report with the files of the second in place of their first try. */
export function mergeReports(first, second) {
  if (!first || !second) return first;
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  return { ...first, testResults: first.testResults.map((file) => again.get(file.name) ?? file) };
}

/**
 * Compares the tests that a run skipped with those that may be skipped there.
 *
 * @param {{ file: string, skipped: number }[]} files
 * @param {Record<string, string>} declared files, and the programs whose lack skips some of their tests
 * @returns {string[]} what differs, a line each
 */
export function compareSkips(files, declared) {
  const skipping = files.filter(({ skipped }) => skipped > 0);
  const undeclared = skipping
    .filter(({ file }) => declared[file] === undefined)
    .map(({ file, skipped }) => `${file} skips ${skipped} tests and is not declared to`);
  const stale = Object.keys(declared)
    .filter((file) => !skipping.some((one) => one.file === file))
    .map((file) => `${file} is declared to skip tests and skips none`);
  return [...undeclared, ...stale];
}
