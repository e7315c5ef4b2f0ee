// The package as people get it: what is in the tarball, and that it runs by npx from an empty folder
// and an empty cache. Without the registry that is skipped, unless PAIRPTY_REQUIRE names it.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cachedPackages, npmEnvironment } from "../../scripts/cached-packages.mjs";
import type { Ready } from "../../bridge/doors/control/control-requests.ts";
import { listProcesses } from "../support/processes.ts";
import { Place } from "../support/product.ts";
import { passOver } from "../support/required.ts";
import { PlainClient } from "../support/plain-client.ts";
import { within } from "../support/waiting.ts";

/** The registry may be slow; a hang is still one. */
const INSTALL_MS = 150_000;
const MB = 1_000_000;
/** Quiet, and nothing that asks the network for more than packages. */
const NPM_FLAGS = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
const OLD_NODE = `node-${process.platform}-${process.arch}@16.20.2`;

const run = promisify(execFile);

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

let place: Place;
let packed: Packed;
let tarball: string;

beforeAll(async () => {
  place = new Place();
  // Without prepack: it would build under the feet of the tests beside this one.
  const { stdout } = await run(
    "npm",
    ["pack", "--json", "--pack-destination", place.root].concat(NPM_FLAGS),
  );
  [packed] = JSON.parse(stdout);
  tarball = join(place.root, packed.filename);
});
afterAll(() => place[Symbol.asyncDispose]());

test("N1 the package has the built programs, the Worker, the page, skills and notices, and nothing else", () => {
  const paths = packed.files.map(({ path }) => path);
  for (const path of [
    "dist/bridge/cli.js",
    "dist/bridge/compiled.js",
    "dist/bridge/program.cjs",
    "dist/bridge/pty-host.js",
    "dist/bridge/pty-host.cjs",
    "dist/bridge/embedded-relay.js",
    "dist/bridge/embedded-relay.cjs",
    "dist/bridge/service.js",
    "dist/bridge/service/index.d.ts",
    "dist/bridge/THIRD-PARTY-NOTICES.txt",
    "dist/config.schema.json",
    "dist/relay/worker.js",
    "dist/web/index.html",
    "docs/README.md",
    "docs/examples/plain-client.mjs",
    "docs/examples/service/plugin.mjs",
    "docs/self-hosting.md",
    "skills/terminals/SKILL.md",
    "README.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "LICENSE",
  ]) {
    expect(paths).toContain(path);
  }
  const known =
    /^(package\.json|[A-Z]+(\.md)?|docs\/[A-Za-z-]+\.(md|svg)|docs\/examples\/(service\/)?[a-z-]+\.mjs|skills\/.*\.md|dist\/[\w.]+\.json|dist\/bridge\/service\/[a-z-]+\.d\.ts|dist\/(bridge|relay|web)\/.*\.(c?js|css|svg|png|ico|wasm|webmanifest|html|txt|woff2|br))$/;
  expect(paths.filter((path) => !known.test(path))).toEqual([]);
  expect(packed.unpackedSize).toBeLessThan(8 * MB);
});

test("N1 every package whose code is in it is named, with its licence", () => {
  const notices = readFileSync("dist/bridge/THIRD-PARTY-NOTICES.txt", "utf8");
  for (const name of [
    "commander",
    "ws",
    "zod",
    "@modelcontextprotocol/server",
    "unbash",
    "re2js",
  ]) {
    expect(notices).toMatch(new RegExp(`^${name} [\\d.]+\\nLicence: [\\w.-]+$`, "m"));
  }
  expect(readFileSync("dist/web/THIRD-PARTY-NOTICES.txt", "utf8")).toMatch(/^@xterm\/xterm /m);
  expect(readFileSync("dist/relay/THIRD-PARTY-NOTICES.txt", "utf8")).toMatch(/^partyserver /m);
});

test("N1 publint has nothing to say", async () => {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
  });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

/** A program of this folder: its types fit with nobody else's, and it runs. */
async function usesTheService(folder: string): Promise<void> {
  const program = `import { TerminalService } from "pairpty/service";
import type { Agent, ExecuteCommandResult, TerminalProvider } from "pairpty/service";

const terminal = new TerminalService({ agentDefaults: { provider: "local" } });
const agent: Agent = { id: "one", confirm: ({ level }) => level === "unknown" };
const result: ExecuteCommandResult = await terminal.executeCommand("echo a b", [], {}, agent);
const provider: TerminalProvider = terminal.requireActiveTerminal(agent);
// @ts-expect-error: a level is one of three.
const level: "high" = provider.getIsolationLevel();
const session = await provider.startInteractiveSession({ timeoutSeconds: 10 });
await provider.sendInput(session, "exit 3\\n");
const wait = { minInterval: 0, settleInterval: 30, maxInterval: 30 };
const { isComplete, exitCode } = await provider.collectOutput(session, 0, wait);
await terminal.stop();
export const told = [result.stdout, level, isComplete, exitCode] as const;
declare const console: { log(text: string): void };
console.log(JSON.stringify(told));
`;
  writeFileSync(join(folder, "use.mts"), program);
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: [],
  };
  const project = { compilerOptions, files: ["use.mts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
  const tsc = join("node_modules", ".bin", "tsc");
  const types = await run(tsc, ["-p", folder]).catch((error) => error);
  expect(types.stdout).toBe("");
  const used = await run(process.execPath, ["use.mjs"], { cwd: folder, env: place.environment });
  expect(JSON.parse(used.stdout)).toEqual(["a b\n", "none", true, 3]);
}

test(
  "N2 Y50 installed without scripts into an empty folder, from an empty cache, it runs by npx",
  async ({ skip }) => {
    const folder = join(place.root, "empty");
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), "{}");
    const flags = [...NPM_FLAGS, "--cache", join(place.root, "npm-cache")];
    try {
      const env = npmEnvironment();
      await run("npm", ["install", tarball, ...flags], { cwd: folder, env, timeout: INSTALL_MS });
    } catch (error) {
      passOver("registry", error);
      return skip();
    }
    const options = { cwd: folder, env: place.environment };
    const program = join(folder, "node_modules", ".bin", "pairpty");
    const version = await run(program, ["--version"], options);
    expect(version.stdout).toBe(`${packed.filename.replace(/^pairpty-|\.tgz$/g, "")}\n`);
    await usesTheService(folder);
    // A group of its own, so that Ctrl-C reaches npx and pairpty alike, as at a keyboard.
    const child = spawn("npx", ["--offline", "pairpty", "--json"], {
      ...options,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [line] = await within(
      once(createInterface({ input: child.stdout }), "line"),
      "no ready line",
      60_000,
    );
    const { relay, workspace, tokens, endpoints }: Ready = JSON.parse(line);
    const opened = await fetch(`${relay}/w/${workspace}/pty/spawn`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.edit}` },
      body: JSON.stringify({ command: ["/bin/cat"] }),
    });
    const { id }: { id: string } = await opened.json();
    using client = await PlainClient.connect(endpoints.peer, tokens.edit);
    client.attach(id);
    client.type(id, "from the package\n");
    await client.shows(id, /from the package\r\nfrom the package/);
    const page = await fetch(`${relay}/w/${workspace}`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<title>")]);
    const ended = once(child, "exit");
    process.kill(-(child.pid ?? 0), "SIGINT");
    await within(ended, "pairpty did not stop", 15_000);
    expect(listProcesses(place.root)).toEqual([]);
    return undefined;
  },
  INSTALL_MS + 90_000,
);

test(
  "N3 a Node that is too old is told so in one sentence, with exit code 5",
  async ({ skip }) => {
    let old: string;
    try {
      old = join(cachedPackages(OLD_NODE), OLD_NODE.replace(/@.*/, ""), "bin", "node");
    } catch (error) {
      passOver("registry", error);
      return skip();
    }
    const result = await run(old, ["dist/bridge/cli.js", "--version"]).catch((error) => error);
    expect([result.code, result.stdout, result.stderr]).toEqual([
      5,
      "",
      "error pairpty needs Node 20.19 or newer; this is Node 16.20.2.\n",
    ]);
    return undefined;
  },
  INSTALL_MS,
);

test("N12 a version without its entry in the changelog is refused before anything is changed", async () => {
  const folder = join(place.root, "release");
  mkdirSync(join(folder, "scripts"), { recursive: true });
  cpSync("scripts/release-check.mjs", join(folder, "scripts", "release-check.mjs"));
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(scripts.preversion).toMatch(/^node scripts\/release-check\.mjs && /);
  const manifest = {
    name: "x",
    version: "1.0.0",
    scripts: { preversion: scripts.preversion.split(" && ")[0] },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const release = async (changelog: string) => {
    writeFileSync(join(folder, "CHANGELOG.md"), changelog);
    const args = ["version", "1.1.0", "--no-git-tag-version", "--loglevel=error"];
    const result = await run("npm", args, { cwd: folder }).catch((error) => error);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return [version, result.stderr];
  };
  // What npm runs and tells it, without npm.
  const check = async (changelog: string) => {
    writeFileSync(join(folder, "CHANGELOG.md"), changelog);
    const env = { ...process.env, npm_new_version: "1.1.0" };
    const options = { cwd: folder, env };
    const result = await run(process.execPath, ["scripts/release-check.mjs"], options).catch(
      (error) => error,
    );
    return [result.code, result.stderr];
  };
  const refused = (sentence: string) => [1, expect.stringContaining(sentence)];
  expect(await release("# Changelog\n")).toEqual([
    "1.0.0",
    expect.stringContaining('no heading "## 1.1.0"'),
  ]);
  expect(await check("## 1.1.0 (unreleased)\n\n- x\n")).toEqual(refused("calls 1.1.0 unreleased"));
  expect(await check("## 1.1.0\n\n## 1.0.0\n\n- x\n")).toEqual(refused("says nothing about 1.1.0"));
  expect(await check("## 1.1.0\n\n- x\n")).toEqual([undefined, ""]);
  // The workflow says the tag, which must be the package's version.
  const tagged = await run(process.execPath, ["scripts/release-check.mjs", "9.9.9"]).catch(
    (error) => error,
  );
  expect([tagged.code, tagged.stderr]).toEqual([1, expect.stringContaining("The tag says 9.9.9")]);
});

test("N12 the release workflow checks everything, then publishes with provenance and without a token", () => {
  const workflow = readFileSync(".github/workflows/release.yml", "utf8");
  const at = (text: string) => workflow.indexOf(text);
  expect(at("id-token: write")).toBeGreaterThan(0);
  expect(at("release-check.mjs")).toBeGreaterThan(0);
  expect(at("run: .ci/run")).toBeGreaterThan(at("release-check.mjs"));
  expect(at("npm publish --provenance")).toBeGreaterThan(at("run: .ci/run"));
  expect(workflow).not.toMatch(/secrets\./);
});
