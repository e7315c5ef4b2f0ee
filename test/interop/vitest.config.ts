import { defineConfig } from "vitest/config";

/** `npm run test:interop`: apart from the rest, since it fetches programs of others. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ["test/interop/*.test.ts"],
    setupFiles: ["test/support/environment.ts"],
    pool: "forks",
  },
});
