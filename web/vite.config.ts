// Owns how the page is built: everything self-hosted, nothing inline, so that the CSP can be strict.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    // xterm 6 freezes when it is compiled for anything older than es2021.
    target: "es2022",
    // The CSP allows neither data: fonts nor inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // The schemas are not used here; without this the constants beside them would bring zod along.
      treeshake: { manualPureFunctions: ["z"] },
    },
  },
});
