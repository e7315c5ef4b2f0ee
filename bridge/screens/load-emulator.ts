// Owns loading the emulator, once: it costs more than the rest of the bridge, and is not always
// needed.

import type * as EmulatorModule from "./emulator.ts";

let loaded: Promise<typeof EmulatorModule> | undefined;

export function loadEmulator(): Promise<typeof EmulatorModule> {
  loaded ??= Promise.all([import("./emulator.ts"), import("./serialize.ts")]).then(
    ([emulator, { learnCharsets }]) => {
      const scratch = emulator.createEmulator(2, 1);
      learnCharsets(scratch);
      scratch.dispose();
      return emulator;
    },
  );
  return loaded;
}
