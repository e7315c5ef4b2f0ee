import { join } from "node:path";
import type { TestProjectInlineConfiguration } from "vitest/config";
import { defineConfig } from "vitest/config";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/**
 * The files of test/ that take longest, in the order in which they start: one that started last would
 * run on alone. The first few mostly wait, and leave the processor to the others. vitest itself knows
 * durations only from an earlier run, which a fresh clone has not had. A file that is not named here
 * comes after these; a name without a file does nothing.
 */
const LONGEST = [
  "product/typed-lines",
  "relay/sleep",
  "relay/strangers",
  "isolation/containers",
  "relay/bridge-door",
  "product/package",
  "product/docs",
  "product/first-screen",
  "web/access",
  "web/tabs",
  "web/conversation",
  "web/terminal",
  "web/together",
  "web/page",
  "web/approvals",
  "web/cells",
  "web/people",
  "web/ends",
  "product/processes",
  "product/deploy",
  "product/network",
  "pty-host/pacing",
  "pty-host/bridges",
  "product/sessions",
  "web/resume",
  "web/pairing",
  "product/acp",
  "web/touch",
  "product/command-line",
  "product/mcp",
  "product/survival",
  "product/shell",
  "product/flow",
  "isolation/escapes",
  "isolation/limits",
  "screens/screens",
  "pty-host/output",
  "relay/redeploy",
  "product/dialect",
  "product/tunnel",
  "product/completion",
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
          exclude: ["test/interop/**", ...MODELS],
          // More than the cores of a small machine: the longest tests wait more than they work.
          maxWorkers: 5,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "beside",
          include: ["{bench,bridge,protocol,relay,scripts,web}/**/*.test.ts", ...MODELS],
          // These never wait, so a worker fills a core; and each worker loads all code again.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
