// Owns what a test does about something that a machine may lack: it skips with a line, unless
// PAIRPTY_REQUIRE names the thing, as continuous integration does.

/** Throws the problem if the thing is required here; else says that the test is skipped. */
export function passOver(thing: string, problem: unknown): void {
  if ((process.env.PAIRPTY_REQUIRE ?? "").split(",").includes(thing)) throw problem;
  const [reason] = String(problem).split("\n");
  console.warn(`skipped: no ${thing} here (${reason})`);
}
