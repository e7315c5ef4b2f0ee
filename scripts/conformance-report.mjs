// Owns reading what the conformance suite leaves and asks for, and saying it in short.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The scenarios that a revision requires of a server: a list in a file of the suite's. */
export function required(suite, revision) {
  const text = readFileSync(join(suite, "requirements", `${revision}.yaml`), "utf8");
  const section = /^server:\n((?:[ #].*\n|\n)+)/m.exec(text)?.[1] ?? "";
  const names = [...section.matchAll(/^ +- +([\w-]+)/gm)].map(([, name]) => name);
  if (names.length === 0) throw new Error(`the suite lists nothing for ${revision}`);
  return names;
}

/** Prints one set's results, each failed check with its reason, and adds them to `counts`. */
export function report(revision, names, results, output, counts) {
  const checks = readChecks(results);
  const wanted = new Set(names);
  console.log(`\n${revision}: ${names.length} required scenarios`);
  for (const name of names) {
    const found = checks.get(name) ?? [missing(output)];
    const bad = found.filter(({ status }) => status === "FAILURE");
    counts.passed += found.filter(({ status }) => status === "SUCCESS").length;
    counts.failed += bad.length;
    console.log(`  ${bad.length === 0 ? "✓" : "✗"} ${name}`);
    for (const { id, status, errorMessage } of found) {
      if (!["FAILURE", "WARNING", "SKIPPED"].includes(status)) continue;
      console.log(`      ${status.toLowerCase()} ${id}: ${errorMessage ?? ""}`);
    }
  }
  const others = [...checks].filter(([name]) => !wanted.has(name));
  if (others.length > 0) console.log("  run by the suite, but not required:");
  for (const [name, found] of others) {
    const bad = found.filter(({ status }) => status === "FAILURE");
    console.log(`  ${bad.length === 0 ? "✓" : "·"} ${name}`);
  }
}

/** Each scenario's checks, from the folder it left: `server-<name>-<time>`. */
function readChecks(results) {
  const folders = readdirSync(results).map((name) => ({
    name: name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, ""),
    path: join(results, name, "checks.json"),
  }));
  return new Map(folders.flatMap(({ name, path }) => readOne(name, path)));
}

function readOne(name, path) {
  try {
    return [[name, JSON.parse(readFileSync(path, "utf8"))]];
  } catch {
    return [];
  }
}

/** In place of the checks of a scenario that left none. */
function missing(output) {
  const last = output.trim().split("\n").slice(-20).join("\n        ");
  return { id: "ran", status: "FAILURE", errorMessage: `left no result\n        ${last}` };
}
