import { join } from "node:path";
import type { TestProjectInlineConfiguration } from "vitest/config";
import { configDefaults, defineConfig } from "vitest/config";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";
import { CI_PART } from "./scripts/test-parts.mjs";

/**
 * The files of test/ that take longest, in the order in which they start: one that started last would
 * run on alone. The first mostly wait, and leave the processor to the others. vitest itself knows
 * durations only from an earlier run, which a fresh clone has not had. A file that is not named here
 * comes after these; a name without a file does nothing.
 */
const LONGEST = [
  "product/typed-lines",
  "relay/silence",
  "relay/sleep",
  "product/frozen",
  "product/connections",
  "relay/strangers",
  "web/terminal",
  "web/tabs",
  "web/ends",
  "web/approvals",
  "web/access",
  "product/processes",
  "web/page",
  "web/conversation",
  "product/revoking",
  "product/sessions",
  "product/panels",
  "product/shell",
  "web/people",
  "product/mcp",
  "product/command-line",
  "product/service",
  "relay/bridge-door",
  "pty-host/bridges",
  "relay/redeploy",
  "web/touch",
  "web/cells",
  "product/acp",
  "product/status",
  "web/pairing",
  "product/first-screen",
  "web/together",
  "web/raw",
  "product/flow",
  "relay/peers",
  "product/doctor",
  "product/package",
  "product/own-relay",
  "product/docs-clients",
  "pty-host/pacing",
  "web/opening",
  "product/survival",
  "relay/streams",
  "web/queries",
  "web/frame",
  "product/attach-flood",
  "product/code",
  "web/notices",
  "web/resume",
  "product/network",
  "product/docs",
  "isolation/containers",
  "isolation/escapes",
];

/**
 * Those of test/ that start no process: models of several parts. They load what the tests beside the
 * code load, and would load it once more in the workers of the others.
 */
const MODELS = [
  "test/flow/**/*.test.ts",
  "test/pty-host/{coalescer,reading,ring}.test.ts",
  "test/relay/{budgets,decisions,delivery}.test.ts",
];

/** Not in this run: `npm test` leaves to CI what scripts/test-parts.mjs names. */
const LEFT_OUT = process.env["TEST_PART"] === "local" ? Object.keys(CI_PART) : [];

const ACROSS = join(import.meta.dirname, "test/");

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
      if (at !== -1) return at;
      // What tests one part alone takes next to nothing, and fills what is left.
      return LONGEST.length + (moduleId.startsWith(ACROSS) ? 0 : 1);
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** What all tests have. */
const shared: NonNullable<TestProjectInlineConfiguration["test"]> = {
  // Tests of the real product, on a machine that does other things too.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  setupFiles: ["test/support/environment.ts"],
  pool: "forks",
  // One process for many files halves what the small ones cost.
  isolate: false,
  // What was compiled for one run serves the next.
  experimental: { fsModuleCache: true },
};

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: "across",
          include: ["test/**/*.test.ts"],
          // By `npm run test:interop`.
          exclude: ["test/interop/**", ...MODELS, ...LEFT_OUT],
          // More than the cores of a small machine: the longest tests wait more than they work.
          maxWorkers: 6,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "beside",
          include: ["{bench,bridge,protocol,relay,scripts,web}/**/*.test.ts", ...MODELS],
          exclude: [...configDefaults.exclude, ...LEFT_OUT],
          // These never wait, so a worker fills a core; and each worker loads all code again.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
