// Which tests run where: what `npm test` leaves to CI, and what CI runs once more with programs installed.
// `.ci/run` and `npm run test:all` run everything (TEST_PART=all). A file that is named on the command
// line always runs.

/** The files that only `npm run test:all` and CI run, each with what makes it long. */
export const CI_PART = {
  // What is released: packages that are packed and installed, deployments, images.
  "test/product/package.test.ts": "packs the package, and installs it from an empty cache",
  "test/product/deploy.test.ts": "runs wrangler",
  "test/product/self-hosting.test.ts": "runs wrangler, nginx and caddy",
  "test/isolation/containers.test.ts": "runs podman",
  // Real time: rooms fall asleep after 10 s, silent bridges are found out after as long.
  "test/relay/sleep.test.ts": "waits until rooms sleep",
  "test/relay/silence.test.ts": "waits until bridges count as silent",
  "test/product/frozen.test.ts": "stops the bridge for 10 s",
  // Load and exhaustion.
  "test/product/attach-flood.test.ts": "floods a bridge",
  "test/product/connections.test.ts": "opens connections until descriptors run out",
  "test/product/endurance.test.ts": "starts and ends terminals by the dozen",
  "test/product/full-disk.test.ts": "fills a disk",
  // Each view of the page, twice.
  "test/web/access.test.ts": "runs axe on every view, at a desk and on a phone",
};

/** Files that skip tests on a fresh machine, and the programs that these tests are about. */
export const SKIPS = {
  "bridge/service/terminal-service.test.ts": "bubblewrap",
  "bridge/policy/shells.test.ts": "zsh, fish",
  "test/isolation/containers.test.ts": "podman",
  "test/isolation/escapes.test.ts": "bubblewrap",
  "test/isolation/work.test.ts": "bubblewrap, podman",
  "test/product/acp.test.ts": "bubblewrap",
  "test/product/completion.test.ts": "zsh, fish",
  "test/product/docs.test.ts": "curl",
  "test/product/isolation.test.ts": "bubblewrap",
  "test/product/screens.test.ts": "vim",
  "test/product/self-hosting.test.ts": "nginx, caddy",
  "test/product/service.test.ts": "python3",
  "test/web/cells.test.ts": "vim, less, tmux",
};

/**
 * Where tests can differ on a machine that has the programs of scripts/tools.mjs: CI runs these once more,
 * with the programs, after everything ran without them. The others start no program that they look up.
 */
export const WITH_TOOLS = [
  "bridge/isolation/",
  "bridge/policy/",
  "bridge/service/",
  "test/isolation/",
  "test/product/",
  "test/web/cells.test.ts",
];

/**
 * Returns "local" for the short run: nothing is named on the command line, and neither CI nor TEST_PART
 * asks for everything.
 *
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {"local" | "all"}
 */
export function choosePart(args, env) {
  const isNamed = args.some((arg) => !arg.startsWith("-"));
  if (isNamed || env.CI === "true" || env.TEST_PART === "all") return "all";
  return "local";
}
