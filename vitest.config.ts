import { defineConfig } from "vitest/config";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** What takes longest goes first, or the last of them would run alone. In a fresh clone nobody else knows. */
const LONGEST = [
  "product/network",
  "product/docs",
  "product/processes",
  "product/package",
  "product/shell",
  "product/mcp",
  "product/completion",
  "product/first-screen",
  "product/config",
  "product/proxies",
  "product/flow",
  "relay/tunnel",
  "relay/sleep",
  "product/endurance",
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
    include: ["**/*.test.ts"],
    exclude: ["node_modules/**", "dist/**"],
    // Tests of the real product, on a machine that does other things too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ["test/support/environment.ts"],
    pool: "forks",
    // One more than the cores of a small machine: the longest tests wait more than they work.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
});
