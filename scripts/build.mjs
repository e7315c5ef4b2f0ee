// Builds dist/: the bridge's programs for Node, the Worker for workerd, the page for browsers.
// With names (`node scripts/build.mjs relay web`) only those parts.

import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { writeConfigSchema } from "./config-docs.mjs";
import { writeNotices } from "./notices.mjs";
import { writeServiceTypes } from "./service-types.mjs";

process.chdir(join(dirname(fileURLToPath(import.meta.url)), ".."));
const { version } = JSON.parse(readFileSync("package.json", "utf8"));

const shared = {
  bundle: true,
  format: "esm",
  logLevel: "warning",
  sourcemap: true,
  define: { __VERSION__: JSON.stringify(version) },
};
/** Less to read at each start; names stay, for the stack of a bug that somebody reports. */
const forNode = {
  ...shared,
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
};
/** What brings programs of its own, per platform. All else goes into the bundle. */
const NATIVE = ["node-pty", "workerd", "bufferutil", "utf-8-validate"];
/** Packages in the older form of modules ask for Node's own by `require`. */
const REQUIRE = `import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);`;
const forWorkerd = {
  ...shared,
  platform: "neutral",
  mainFields: ["module", "main"],
  conditions: ["workerd", "worker", "browser", "import"],
  target: "es2022",
  external: ["cloudflare:*"],
};

const parts = {
  bridge: async () => {
    const [{ metafile }] = await Promise.all([
      build({
        ...forNode,
        external: NATIVE,
        banner: { js: REQUIRE },
        metafile: true,
        entryPoints: {
          main: "bridge/cli/main.ts",
          service: "bridge/service/index.ts",
        },
        outdir: "dist/bridge",
        // What a verb does not use is not loaded: the rest of the program costs more than the verb.
        splitting: true,
      }),
      // Every start waits for these: whole, they load a third faster than from twenty files.
      build({
        ...forNode,
        external: NATIVE,
        banner: { js: REQUIRE },
        entryPoints: {
          "pty-host": "bridge/pty-host/main.ts",
          "embedded-relay": "bridge/embedded-relay/main.ts",
        },
        outdir: "dist/bridge",
      }),
      build({
        ...forNode,
        sourcemap: false,
        target: "node12.20",
        entryPoints: { cli: "bridge/cli/entry.ts" },
        external: ["./main.js"],
        outdir: "dist/bridge",
      }),
      writeConfigSchema(),
      writeServiceTypes("dist/bridge/service"),
    ]);
    for (const name of ["unifont.br", "unifont-licence.txt"]) {
      copyFileSync(join("bridge/pictures", name), join("dist/bridge", name));
    }
    writeNotices("dist/bridge", Object.keys(metafile.inputs));
  },
  relay: async () => {
    const { metafile } = await build({
      ...forWorkerd,
      metafile: true,
      entryPoints: { worker: "relay/worker.ts" },
      outdir: "dist/relay",
    });
    writeNotices("dist/relay", Object.keys(metafile.inputs));
  },
  bench: async () => {
    await Promise.all([
      build({
        ...forNode,
        packages: "external",
        entryPoints: { main: "bench/main.ts" },
        outdir: "dist/bench",
      }),
      build({
        ...forWorkerd,
        entryPoints: { "bare-worker": "bench/bare-worker.ts" },
        outdir: "dist/bench-worker",
      }),
    ]);
    copyFileSync("bridge/pictures/unifont.br", "dist/bench/unifont.br");
  },
  web: async () => {
    const vite = await import("vite");
    const { output } = await vite.build({ configFile: "web/vite.config.ts", logLevel: "warn" });
    const modules = output.flatMap((chunk) => Object.keys(chunk.modules ?? {}));
    writeNotices("dist/web", modules);
  },
};

const asked = process.argv.slice(2);
for (const name of asked) if (!(name in parts)) throw new Error(`no such part: ${name}`);
const wanted = asked.length > 0 ? asked : Object.keys(parts);
for (const name of wanted) rmSync(join("dist", name), { recursive: true, force: true });
await Promise.all(wanted.map((name) => parts[name]()));
