// What the documents show is what the product does.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "../support/product.ts";

const README = readFileSync("README.md", "utf8");

test("D1 the plain client in the README works as it stands", async () => {
  const code = /```js\n([^]*?)```/.exec(README)?.[1] ?? "";
  await using place = new Place();
  const { ready } = await place.start();
  const file = join(place.root, "client.mjs");
  writeFileSync(file, code);
  symlinkSync(join(process.cwd(), "node_modules"), join(place.root, "node_modules"));
  const command = ["/bin/sh", "-c", "read -r word; echo got $word; exit 3"];
  const child = spawn(process.execPath, [file, ready.links.edit, ...command], {
    env: place.environment,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stdin.write("readme\n");
  const [exitCode] = await once(child, "exit");
  expect([exitCode, output]).toEqual([3, expect.stringContaining("got readme")]);
});

test("C5 every flag that the README names exists", async () => {
  await using place = new Place();
  const pages = [["start"], ["share"], ["connect"], ["log"]].map((verb) =>
    place.run([...verb, "--help"]),
  );
  const known = (await Promise.all(pages)).map(({ stdout }) => stdout).join("\n");
  // Flags of other programs that the README also runs.
  const foreign = new Set(["--help", "--dry-run", "--transport", "--header", "--omit"]);
  const flags = new Set(README.match(/(?<![\w-])--[a-z][a-z-]+/g));
  for (const flag of flags) if (!foreign.has(flag)) expect(known, flag).toContain(flag);
});
