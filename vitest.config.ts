import { defineConfig } from "vitest/config";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/**
 * What takes longest goes first, or the last of them would run alone; what only waits goes before
 * that, beside what works. In a fresh clone nobody else knows.
 */
const LONGEST = [
  "relay/sleep",
  "relay/strangers",
  "product/package",
  "product/first-screen",
  "web/approvals",
  "product/docs",
  "product/mcp",
  "product/acp",
  "product/sessions",
  "product/command-line",
  "product/processes",
  "product/shell",
  "web/cells",
  "web/together",
  "web/page",
  "web/resume",
  "product/network",
  "product/panels",
  "product/approvals",
  "relay/bridge-door",
  "product/service",
  "isolation/escapes",
  "product/doctor",
  "web/tabs",
  "web/raw",
  "product/inspector",
  "product/config",
  "web/full-screen",
  "web/driver",
  "web/queries",
  "pty-host/bridges",
  "pty-host/pacing",
  "product/own-relay",
  "product/status",
  "product/flow",
  "product/endurance",
  "screens/screens",
  "pty-host/output",
  "relay/redeploy",
  "relay/raw",
  "relay/channels",
  "relay/streams",
  "product/docs-clients",
  "product/proxies",
  "product/conformance",
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
      {
        extends: true,
        test: {
          name: "across",
          include: ["test/**/*.test.ts"],
          // By `npm run test:interop`.
          exclude: ["test/interop/**"],
        },
      },
    ],
  },
});
