// Owns making xterm's Unicode 11 smaller while the page is built: its tables are 7 KB, and its package
// brings 23 KB of xterm's own foundations along, which xterm has. The tables stay the package's own:
// the bridge counts columns by them, too.

import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const SOURCES = new URL("../node_modules/@xterm/addon-unicode11/src/", import.meta.url);

/** How xterm 6 packs a character's width; what the tables need of its service. */
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
