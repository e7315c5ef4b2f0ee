import { defineConfig } from "vitest/config";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** What takes longest goes first, or the last of them would run alone. In a fresh clone nobody else knows. */
const LONGEST = [
  "product/network",
  "product/mcp",
  "product/package",
  "product/first-screen",
  "product/command-line",
  "product/processes",
  "product/shell",
  "product/docs",
  "web/cells",
  "relay/strangers",
  "relay/sleep",
  "web/approvals",
  "web/resume",
  "web/page",
  "web/tabs",
  "web/full-screen",
  "product/own-relay",
  "relay/tunnel",
  "web/raw",
  "product/config",
  "product/completion",
  "product/service",
  "web/queries",
  "web/together",
  "product/proxies",
  "relay/raw",
  "relay/channels",
  "product/self-hosting",
  "product/doctor",
  "product/status",
  "product/endurance",
  "product/flow",
  "pty-host/output",
  "pty-host/bridges",
  "product/inspector",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
      return at === -1 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    exclude: ["node_modules/**", "dist/**"],
    // Tests of the real product, on a machine that does other things too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ["test/support/environment.ts"],
    pool: "forks",
    // Twice the cores of a small machine: the longest tests wait more than they work.
    maxWorkers: 4,
    // One process for many files halves what the small ones cost.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: ["{bench,bridge,protocol,relay,scripts,web}/**/*.test.ts"],
        },
      },
      { extends: true, test: { name: "across", include: ["test/**/*.test.ts"] } },
    ],
  },
});
