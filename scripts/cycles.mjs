// Finds cycles of value imports within a part, where a part's direct folders and files are the
// nodes, and imports against the direction that docs/architecture.md has for the part's folders.
// Type-only imports do not count, nor do tests. esbuild reads the imports.
// `node scripts/cycles.mjs` checks the parts below; `… FOLDER PART…` others, for its own test.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

/** The parts of the system. */
const PARTS = ["bridge", "protocol", "relay", "web"];

const [root = ".", ...asked] = process.argv.slice(2);
const DIRECTIONS = join(root, "docs", "architecture.md");
let isBad = false;
for (const part of asked.length > 0 ? asked : PARTS) {
  const imports = await valueImports(part);
  for (const cycle of findCycles(imports)) {
    isBad = true;
    const steps = cycle.map(({ from, to }) => `  ${from} imports ${to}`);
    process.stdout.write(`A cycle in ${part}/:\n${steps.join("\n")}\n`);
  }
  for (const sentence of againstDirection(part, imports)) {
    isBad = true;
    process.stdout.write(`${sentence}\n`);
  }
}
process.exit(isBad ? 1 : 0);

/**
 * @param {string} part
 * @param {{ from: string, to: string, nodes: [string, string] }[]} imports
 * @returns {string[]} what stands in no line of the part's table, or imports from above or beside it
 */
function againstDirection(part, imports) {
  const lines = listLines(part);
  if (lines === undefined) return [];
  const entries = readdirSync(join(root, part), { withFileTypes: true });
  const folders = entries
    .filter((entry) => entry.isDirectory() && !lines.has(entry.name))
    .map(({ name }) => `${part}/${name}/ is in no line of the table in docs/architecture.md`);
  const gone = [...lines.keys()]
    .filter((name) => !entries.some((entry) => entry.name === name))
    .map((name) => `The table in docs/architecture.md names ${part}/${name}, which is not there`);
  // A file beside the folders is below them all, unless the table names it.
  const findLine = (/** @type {string} */ node) => lines.get(node) ?? Number.POSITIVE_INFINITY;
  const isBeside = (/** @type {string} */ node) => !lines.has(node);
  const upwards = imports
    .filter(({ nodes: [from, to] }) => !(isBeside(from) && isBeside(to)))
    .filter(({ nodes: [from, to] }) => findLine(to) <= findLine(from))
    .map(
      ({ from, to }) =>
        `Not downwards, by the table in docs/architecture.md: ${from} imports ${to}`,
    );
  return [...folders, ...gone, ...upwards];
}

/**
 * @param {string} part
 * @returns {Map<string, number> | undefined} the line of each folder, and of each file that is named;
 * undefined if there is no table
 */
function listLines(part) {
  const text = existsSync(DIRECTIONS) ? readFileSync(DIRECTIONS, "utf8") : "";
  const [, table] = text.split(new RegExp(`^\\| line +\\| folders of \`${part}/\` *\\|$`, "m"));
  if (table === undefined) return undefined;
  const [rows = ""] = table.split(/\n\n/);
  /** @type {Map<string, number>} */
  const lines = new Map();
  for (const [, line, cells = ""] of rows.matchAll(/^\| (\d+) +\| (.*)\|$/gm)) {
    for (const [, name = ""] of cells.matchAll(/`([\w-]+(?:\.tsx?)?)\/?`/g))
      lines.set(name, Number(line));
  }
  return lines;
}

/**
 * @param {string} part
 * @returns {Promise<{ from: string, to: string, nodes: [string, string] }[]>} those from one node
 * of the part to another
 */
async function valueImports(part) {
  const files = readdirSync(join(root, part), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(test|d|config)\.tsx?$/.test(name))
    .map((name) => join(part, name));
  const { metafile } = await build({
    absWorkingDir: resolve(root),
    entryPoints: files,
    bundle: true,
    packages: "external",
    external: ["*.css"],
    format: "esm",
    metafile: true,
    write: false,
    outdir: "out",
    logLevel: "error",
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  const all = Object.entries(metafile.inputs).flatMap(([from, { imports }]) =>
    imports.map(({ path: to }) => ({ from, to, nodes: [toNode(from), toNode(to)] })),
  );
  return all.filter(
    ({ nodes: [from, to] }) => from !== undefined && to !== undefined && from !== to,
  );

  /** @param {string} path */
  function toNode(path) {
    const [first, second] = path.split(/[/\\]/);
    return first === part ? second : undefined;
  }
}

/**
 * One cycle for each node that is on one, the shortest, told once.
 * @param {{ from: string, to: string, nodes: [string, string] }[]} imports
 */
function findCycles(imports) {
  /** @type {Map<string, Map<string, { from: string, to: string }>>} */
  const graph = new Map();
  for (const one of imports) {
    const [from, to] = one.nodes;
    if (!graph.has(from)) graph.set(from, new Map());
    if (!graph.get(from)?.has(to)) graph.get(from)?.set(to, one);
  }
  const reported = new Set();
  return [...graph.keys()].toSorted().flatMap((start) => {
    if (reported.has(start)) return [];
    const cycle = shortestBack(graph, start);
    for (const { node } of cycle) reported.add(node);
    return cycle.length === 0 ? [] : [cycle];
  });
}

/**
 * Breadth first, from a node to itself.
 * @param {Map<string, Map<string, { from: string, to: string }>>} graph
 * @param {string} start
 */
function shortestBack(graph, start) {
  /** @type {{ node: string, from: string, to: string }[][]} */
  let paths = [[]];
  const seen = new Set();
  while (paths.length > 0) {
    const next = [];
    for (const path of paths) {
      const at = path.at(-1)?.node ?? start;
      for (const [node, { from, to }] of graph.get(at) ?? []) {
        const longer = [...path, { node, from, to }];
        if (node === start) return longer;
        if (seen.has(node)) continue;
        seen.add(node);
        next.push(longer);
      }
    }
    paths = next;
  }
  return [];
}
