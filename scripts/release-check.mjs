// What a version needs before it is one: its entry in the changelog. Runs before `npm version` changes
// anything, and in the release workflow with the tag's version, which must be the package's.

import { readFileSync } from "node:fs";

const asked = process.argv[2];
const { version: current } = JSON.parse(readFileSync("package.json", "utf8"));
// npm tells its scripts where it is going.
const version = asked ?? process.env["npm_new_version"] ?? current;
const changelog = readFileSync("CHANGELOG.md", "utf8");
const heading = changelog.split("\n").find((line) => line.split(" ")[1] === version);

if (asked !== undefined && asked !== current) {
  fail(`The tag says ${asked}, package.json ${current}. Tag with npm version.`);
}
if (heading === undefined) {
  fail(`CHANGELOG.md has no heading "## ${version}". Write there what a user notices.`);
}
if (heading.includes("unreleased")) {
  fail(`CHANGELOG.md calls ${version} unreleased. Take that word away and commit it.`);
}
const entry = changelog.slice(changelog.indexOf(heading) + heading.length).split("\n## ")[0];
if (!entry.includes("\n- ")) {
  fail(`CHANGELOG.md says nothing about ${version}. Write there what a user notices.`);
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
