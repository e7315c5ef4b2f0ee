// Owns the notices of what a bundle contains of others: names, versions and licences, as their
// licences want them to be passed on.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes THIRD-PARTY-NOTICES.txt for the files that were bundled; `inputs` are their paths. */
export function writeNotices(folder, inputs) {
  const folders = new Set(inputs.map(findPackage).filter((found) => found !== undefined));
  const notices = [...folders].toSorted((a, b) => (a < b ? -1 : 1)).map(formatNotice);
  const head = "The programs in this folder contain code of these packages.\n";
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), [head, ...notices].join(`\n${LINE}\n`));
}

const LINE = "-".repeat(78);

/** The package's folder: what stands behind the last node_modules, with its scope. */
function findPackage(path) {
  return /^\0?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}

function formatNotice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${name} does not name its licence`);
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text = file === undefined ? "" : `\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
  const notice = existsSync(join(folder, "NOTICE"))
    ? `\n\n${readFileSync(join(folder, "NOTICE"), "utf8").trim()}`
    : "";
  return `\n${name} ${version}\nLicence: ${license}${text}${notice}\n`;
}
