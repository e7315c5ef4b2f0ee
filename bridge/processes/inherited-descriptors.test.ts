import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

const FILE = fileURLToPath(new URL("inherited-descriptors.ts", import.meta.url));

test.skipIf(process.platform !== "linux")(
  "I82 what a careless parent left open reaches no child, however high its number",
  async () => {
    const { outputFiles } = await build({
      entryPoints: [FILE],
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
    });
    const look = `
      import { spawnSync } from "node:child_process";
      const seen = () => spawnSync("readlink", ["/proc/self/fd/40"], { encoding: "utf8" }).stdout;
      const before = seen();
      console.log(JSON.stringify({ before, closed: closeInheritedDescriptors().includes(40), after: seen() }));`;
    const { stdout } = spawnSync(
      "bash",
      ["-c", 'exec 40</dev/null; exec "$0" "$@"', process.execPath, "--input-type=module"],
      { input: `${outputFiles[0]?.text}\n${look}`, encoding: "utf8" },
    );
    expect(JSON.parse(stdout)).toEqual({ before: "/dev/null\n", closed: true, after: "" });
  },
);
