// Exports the command line and the library `pairpty/service` from the build's largest script,
// program.cjs. Each loads only what it uses.

import type * as library from "../service/index.ts";

/** Runs the command that the process was started with. */
export async function commandLine(): Promise<void> {
  const { main } = await import("./main.ts");
  await main();
}

export async function service(): Promise<typeof library> {
  return await import("../service/index.ts");
}
