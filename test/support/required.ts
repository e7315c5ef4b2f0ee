// Owns what a test does about something that a machine may lack: it skips with a line, unless
// PAIRPTY_REQUIRE names the thing, as continuous integration does.

export function isRequired(thing: string): boolean {
  return (process.env.PAIRPTY_REQUIRE ?? "").split(",").includes(thing);
}

/** Throws the problem if the thing is required here; else says that the test is skipped. */
export function passOver(thing: string, problem: unknown): void {
  if (isRequired(thing)) throw problem;
  const [reason] = String(problem).split("\n");
  console.warn(`skipped: no ${thing} here (${reason})`);
}
