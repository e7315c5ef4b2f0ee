// Builds dist/: the bridge's programs for Node, the Worker for workerd, the page for browsers.
// With names (`node scripts/build.mjs relay web`) only those parts.

import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
/** A script that the loader compiles, or has compiled before: bridge/compiled/load-program.ts. */
const asScript = {
  ...forNode,
  external: NATIVE,
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  metafile: true,
  outdir: "dist/bridge",
  banner: { js: 'const __here = require("node:url").pathToFileURL(__filename).href;' },
  define: { ...shared.define, "import.meta.url": "__here" },
};
/**
 * For cli.js: its `import("../compiled/load-program.ts")` stays an import, of compiled.js beside it. In one file
 * with the loader, an old Node would fail to parse it before it could say that it is too old.
 */
const besideLoader = {
  name: "beside-loader",
  setup: ({ onResolve }) =>
    onResolve({ filter: /compiled\/load-program\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./compiled.js", external: true } : undefined,
    ),
};
/** The programs of the bridge, by the name that `loadProgram` has for each: dist/bridge/<name>.cjs. */
const SCRIPTS = {
  program: "bridge/cli/exports.ts",
  "pty-host": "bridge/pty-host/main.ts",
  "embedded-relay": "bridge/embedded-relay/main.ts",
};
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
    const [{ metafile }, exported] = await Promise.all([
      build({ ...asScript, entryPoints: SCRIPTS }),
      listExports("bridge/service/index.ts"),
      writeConfigSchema(),
      writeServiceTypes("dist/bridge/service"),
    ]);
    const builds = Object.keys(SCRIPTS).map((name) => [name, hashFile(`dist/bridge/${name}.cjs`)]);
    await Promise.all([
      build({
        ...forNode,
        define: { __BUILDS__: JSON.stringify(Object.fromEntries(builds)) },
        entryPoints: { compiled: "bridge/compiled/load-program.ts" },
        outdir: "dist/bridge",
      }),
      build({
        ...forNode,
        sourcemap: false,
        target: "node12.20",
        entryPoints: { cli: "bridge/cli/entry.ts" },
        plugins: [besideLoader],
        outdir: "dist/bridge",
      }),
    ]);
    const LOADER = 'import { loadProgram } from "./compiled.js";\n';
    for (const name of ["pty-host", "embedded-relay"]) {
      writeFileSync(`dist/bridge/${name}.js`, `${LOADER}loadProgram("${name}");\n`);
    }
    const named = exported.filter((name) => name !== "default").join(", ");
    writeFileSync(
      "dist/bridge/service.js",
      `${LOADER}const service = await loadProgram("program").service();\n` +
        `export const { ${named} } = service;\nexport default service.default;\n`,
    );
    // What tests kept of the build before is of no use to this one.
    rmSync("node_modules/.cache/pairpty/state/pairpty/compiled", { recursive: true, force: true });
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
  /** What the MCP conformance suite expects of a server: loaded by `--conformance`, never packed. */
  conformance: () =>
    build({
      ...forNode,
      format: "cjs",
      entryPoints: { fixtures: "test/conformance/fixtures.ts" },
      outExtension: { ".js": ".cjs" },
      outdir: "dist/conformance",
    }),
  web: async () => {
    const vite = await import("vite");
    const { output } = await vite.build({ configFile: "web/vite.config.ts", logLevel: "warn" });
    const modules = output.flatMap((chunk) => Object.keys(chunk.modules ?? {}));
    writeNotices("dist/web", modules);
  },
};

/** The names that a module exports at run time: service.js must list them, and a script's are not known to Node. */
async function listExports(entry) {
  const { metafile } = await build({
    ...forNode,
    packages: "external",
    entryPoints: [entry],
    metafile: true,
    write: false,
    outdir: "dist",
  });
  const output = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === entry);
  return output.exports;
}

function hashFile(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 16);
}

const asked = process.argv.slice(2);
for (const name of asked) if (!(name in parts)) throw new Error(`no such part: ${name}`);
const wanted = asked.length > 0 ? asked : Object.keys(parts);
for (const name of wanted) rmSync(join("dist", name), { recursive: true, force: true });
await Promise.all(wanted.map((name) => parts[name]()));
