// Owns the page's build: everything self-hosted and nothing inline, so that the CSP can be strict.

import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vite";
import { leanUnicode, shortNames } from "./xterm-plugins.ts";

/**
 * Keeps the protocol's schemas and zod (9 KB) out of the page, which uses only constants and types: marks
 * each schema as pure, because the bundler cannot know that building one has no side effect.
 */
function withoutSchemas(): Plugin {
  return {
    name: "pairpty:without-schemas",
    enforce: "pre",
    transform: {
      filter: { id: /\/protocol\/(?:sealed\/)?[a-z-]+\.ts$/ },
      handler: (code) =>
        code.replace(/^((?:export )?const \w+ = )(z\..*?);$/gms, "$1/* @__PURE__ */ (() => $2)();"),
    },
  };
}

interface Modules {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/**
 * Two chunks besides the lazy parts: what the first prompt needs, and what it does not. More chunks cost
 * about 300 bytes for each module that two of them share.
 */
const CHUNKS = {
  page: ["main.tsx"],
  rest: [
    "ui/dialogs.tsx",
    "ui/away-status.ts",
    "ui/gate.tsx",
    "ui/waiting.tsx",
    "people/knock-card.tsx",
    "people/follow-badge.tsx",
    "terminal/ask.tsx",
    "terminal/end-strip.tsx",
    "terminal/strip-marks.tsx",
  ],
};

function createChunkNamer() {
  const files = new Map<string, string>();
  const add = (id: string, file: string, modules: Modules): void => {
    if (files.has(id)) return;
    files.set(id, file);
    for (const next of modules.getModuleInfo(id)?.importedIds ?? []) add(next, file, modules);
  };
  return (id: string, modules: Modules): string | null => {
    if (files.size === 0)
      for (const [file, paths] of Object.entries(CHUNKS))
        for (const path of paths) add(fileURLToPath(new URL(path, import.meta.url)), file, modules);
    return files.get(id) ?? null;
  };
}

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [withoutSchemas(), shortNames(), leanUnicode()],
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
      // Would print plugin timings on a slow machine.
      checks: { bundlerTimings: false },
      output: { codeSplitting: { groups: [{ name: createChunkNamer(), debugName: "files" }] } },
    },
  },
});
