// Owns the build plugin that shortens the names of xterm's private members, which saves 5 % of the first
// load. Names that addons, the page or tests use stay, because those reach inside xterm.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import type { Plugin } from "vite";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Folders whose mentions of private names are kept, besides the installed addons. */
const MENTIONING_FOLDERS = ["web", "protocol", "test/support", "test/web"];

export function shortNames(): Plugin {
  return {
    name: "pairpty:short-names",
    enforce: "pre",
    apply: "build",
    transform: {
      filter: { id: /@xterm\/xterm\/lib\/xterm\.mjs$/ },
      handler: async (code) => ({ code: await shortenNames(code), map: null }),
    },
  };
}

export async function shortenNames(code: string): Promise<string> {
  const kept = [...findMentionedNames()].join("|");
  const { code: shorter } = await transform(code, {
    format: "esm",
    target: "es2022",
    mangleProps: /^_[a-zA-Z]/,
    reserveProps: new RegExp(`^(${kept})$`),
  });
  return shorter;
}

function findMentionedNames(): Set<string> {
  const addons = readdirSync(join(ROOT, "node_modules/@xterm"))
    .filter((name) => name.startsWith("addon-"))
    .map((name) => join("node_modules/@xterm", name, "lib", `${name}.mjs`));
  const sources = MENTIONING_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(folder, name)),
  );
  const texts = [...addons, ...sources].map((path) => readFileSync(join(ROOT, path), "utf8"));
  return new Set(texts.flatMap((text) => text.match(/\b_[a-zA-Z]\w*/g) ?? []));
}
