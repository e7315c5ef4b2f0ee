import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DESK_SIZE, MAX_BYTES, PHONE_SCALE, PHONE_SIZE, VIEWS } from "./views.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const IMAGES = join(ROOT, "docs", "images");

test("X21 X28 every picture is there, small, of its size, and shown in README or docs", () => {
  expect(readdirSync(IMAGES).toSorted()).toEqual(VIEWS.map((name) => `${name}.png`).toSorted());
  const pages = readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(ROOT, "docs", name));
  const text = [join(ROOT, "README.md"), ...pages].map((path) => readFileSync(path, "utf8")).join();
  for (const name of VIEWS) {
    expect(text).toMatch(new RegExp(`!\\[[^\\]]{10,}\\]\\((?:docs/)?images/${name}\\.png\\)`));
    const picture = readFileSync(join(IMAGES, `${name}.png`));
    expect(picture.length).toBeLessThanOrEqual(MAX_BYTES);
    const size = { width: picture.readUInt32BE(16), height: picture.readUInt32BE(20) };
    const { width, height } = PHONE_SIZE;
    const phone = { width: width * PHONE_SCALE, height: height * PHONE_SCALE };
    expect(size).toEqual(name === "phone" ? phone : DESK_SIZE);
  }
  const { files }: { files: string[] } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  );
  expect(files.filter((one) => one.startsWith("docs"))).toEqual([
    "docs/*.{md,svg}",
    "docs/examples",
  ]);
});
