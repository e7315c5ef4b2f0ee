// Owns the build plugin that shrinks xterm's Unicode 11 addon: its tables are 7 KB, but its bundle
// repeats 23 KB of xterm's own code. The tables keep their content, because the bridge counts
// columns with them, too, but are packed, which saves 2 KB of the first load. Also owns the build
// plugin that shortens the names of xterm's private members, which saves 5 % of the first load.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
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
    transform: {
      filter: { id: /addon-unicode11\/src\/UnicodeV11\.ts$/ },
      handler: (code) => ({ code: packTables(code), map: null }),
    },
  };
}

/** Reverses `packTable`. */
const UNPACK = `const unpack = (packed) => {
  let at = 0;
  return packed.split(" ").map((pair) => pair.split(",").map((step) => (at += parseInt(step || 0, 36))));
};`;

/** Replaces the tables of ranges in the source by strings of the steps from number to number. */
export function packTables(code: string): string {
  const packed = code.replace(
    /^(const \w+) = (\[\s*\[[^;]*\]);/gm,
    (_all, head: string, table: string) => `${head} = unpack("${packTable(table)}");`,
  );
  return `${UNPACK}\n${packed}`;
}

function packTable(table: string): string {
  let at = 0;
  const step = (to: string): string => {
    const by = Number(to) - at;
    at += by;
    return by === 0 ? "" : by.toString(36);
  };
  return Array.from(
    table.matchAll(/\[(0x\w+), (0x\w+)\]/g),
    ([, from = "", to = ""]) => `${step(from)},${step(to)}`,
  ).join(" ");
}

// Names that addons, the page or tests use stay, because those reach inside xterm.

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
