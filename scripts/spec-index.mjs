// `node scripts/spec-index.mjs` writes SPEC.md, the index of the pages in docs/spec.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = "docs/spec";
const HEADING = /^# ([A-Z]{1,2}) · (.+)$/m;

const INTRODUCTION = `# SPEC

The behaviour of pairpty as numbered rules, one page a family. A test's name starts with the rule it proves, so \`git grep 'R7 '\` finds both. When a test and a rule disagree, one of them is wrong: mend it in the same change. A rule states one behaviour in at most 40 words; a new one takes the next free number of its family. The words are those of the [glossary](docs/glossary.md).

\`node scripts/spec-index.mjs\` writes this index.
`;

/** Returns the pages with their family and title, by family. */
export function listSpecPages() {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".md"))
    .map((name) => {
      const path = `${FOLDER}/${name}`;
      const text = readFileSync(path, "utf8");
      const [, family, title] = HEADING.exec(text) ?? [];
      if (family === undefined) throw new Error(`${path} has no heading "# FAMILY · Title".`);
      return { path, family, title, text };
    })
    .sort((a, b) => (a.family < b.family ? -1 : 1));
}

export function formatSpecIndex() {
  const rows = listSpecPages().map(
    ({ path, family, title }) => `- **${family}** [${title}](${path})`,
  );
  return `${INTRODUCTION}\n${rows.join("\n")}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync("SPEC.md", formatSpecIndex());
}
