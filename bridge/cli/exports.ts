// Owns what the build's largest script, program.cjs, exports: the command line, and the library
// `pairpty/service`. Each runs only what it uses of it.

import type * as library from "../service/index.ts";

/** Runs the verb that the process was started with. */
export async function commandLine(): Promise<void> {
  const { main } = await import("./main.ts");
  await main();
}

export async function service(): Promise<typeof library> {
  return await import("../service/index.ts");
}
