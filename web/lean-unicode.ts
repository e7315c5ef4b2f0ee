// Owns the build plugin that shrinks xterm's Unicode 11 addon: its tables are 7 KB, but its bundle repeats
// 23 KB of xterm's own code. The tables stay unchanged, because the bridge counts columns with them, too.

import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const SOURCES = new URL("../node_modules/@xterm/addon-unicode11/src/", import.meta.url);

/** Replaces xterm 6's UnicodeService by the two functions that the tables use: packing and reading a width. */
const PACKING = `export const UnicodeService = {
  extractWidth: (value) => (value >> 1) & 3,
  createPropertyValue: (state, width, joins) => ((state & 0xffffff) << 3) | ((width & 3) << 1) | (joins ? 1 : 0),
};`;

const PACKING_ID = "\0pairpty:unicode-packing";

export function leanUnicode(): Plugin {
  return {
    name: "pairpty:lean-unicode",
    enforce: "pre",
    apply: "build",
    resolveId: (id) => {
      if (id === "@xterm/addon-unicode11")
        return fileURLToPath(new URL("Unicode11Addon.ts", SOURCES));
      if (id === "./UnicodeV11") return fileURLToPath(new URL("UnicodeV11.ts", SOURCES));
      return id === "common/services/UnicodeService" ? PACKING_ID : undefined;
    },
    load: (id) => (id === PACKING_ID ? PACKING : undefined),
  };
}
