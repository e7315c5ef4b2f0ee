// Owns how the page is built: everything self-hosted, nothing inline, so that the CSP can be strict.

import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vite";

/**
 * The page uses the protocol's constants and types but none of its schemas, and the bundler cannot
 * know that building a schema does nothing else: marked as pure, they and zod (9 KB) stay out.
 */
function withoutSchemas(): Plugin {
  return {
    name: "pairpty:without-schemas",
    enforce: "pre",
    transform: {
      filter: { id: /\/protocol\/[a-z-]+\.ts$/ },
      handler: (code) =>
        code.replace(/^((?:export )?const \w+ = )(z\..*?);$/gms, "$1/* @__PURE__ */ (() => $2)();"),
    },
  };
}

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [withoutSchemas()],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    // xterm 6 freezes when it is compiled for anything older than es2021.
    target: "es2022",
    // The CSP allows neither data: fonts nor inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
