// Runs inside `npm version`: a version without its entry in the changelog is none.

import { readFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const changelog = readFileSync("CHANGELOG.md", "utf8");
const heading = changelog.split("\n").find((line) => line.startsWith(`## ${version}`));

if (heading === undefined) fail(`CHANGELOG.md has no heading "## ${version}".`);
if (heading.includes("unreleased")) fail(`CHANGELOG.md still calls ${version} unreleased.`);
const entry = changelog.slice(changelog.indexOf(heading) + heading.length).split("\n## ")[0];
if (!entry.includes("\n- ")) fail(`CHANGELOG.md says nothing about ${version}.`);

function fail(sentence) {
  process.stderr.write(
    `${sentence} Write there what a user notices, then run npm version again.\n`,
  );
  process.exit(1);
}
