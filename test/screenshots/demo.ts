// Owns what the screenshots show: a small folder with a test that fails, and agents that look at it.

import type { ChildProcess } from "node:child_process";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestAgent } from "../support/agent.ts";
import { agentAt } from "../support/agent.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";

/** Its name is in the pictures. */
const HOME = join(tmpdir(), "guest");

const FILES = {
  "README.md": "# Sums\n\nAdds two numbers.\n",
  "sum.js": "export const sum = (a, b) => a - b;\n",
  "test.js": `import { sum } from "./sum.js";

const found = sum(2, 3);
console.log(found === 5 ? "\\u001B[32m✓\\u001B[0m 2 + 3 is 5" : \`\\u001B[31m✗\\u001B[0m 2 + 3 is \${found}, not 5\`);
process.exit(found === 5 ? 0 : 1);
`,
  "package.json": '{ "type": "module" }\n',
};

/** Commits that look the same every time. */
const GIT = {
  GIT_AUTHOR_NAME: "guest",
  GIT_AUTHOR_EMAIL: "guest@example.com",
  GIT_AUTHOR_DATE: "2026-01-05T10:00:00Z",
  GIT_COMMITTER_NAME: "guest",
  GIT_COMMITTER_EMAIL: "guest@example.com",
  GIT_COMMITTER_DATE: "2026-01-05T10:00:00Z",
};

export function makePlace(): Place {
  if (existsSync(HOME)) throw new Error(`${HOME} is in the way: a run that was killed left it.`);
  const place = new Place({}, HOME);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(place.folder, name), text);
  writeFileSync(
    join(place.root, ".bashrc"),
    "PS1='\\[\\e[36m\\]\\w\\[\\e[0m\\] $ '\nalias ls='ls --color'\n",
  );
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: place.folder, env: { ...place.environment, ...GIT } });
  git("init", "--quiet", "--initial-branch=main");
  for (const [name, why] of [
    ["README.md", "Say what it is"],
    ["sum.js", "Add two numbers"],
    ["test.js", "Test the sum"],
    ["package.json", "Modules"],
  ] as const) {
    git("add", name);
    git("commit", "--quiet", "--message", why);
  }
  return place;
}

async function tokenFor(place: Place, label: string): Promise<string> {
  const made = await place.run([
    "share",
    "--role",
    "agent",
    "--label",
    label,
    "--json",
    ...place.code,
  ]);
  if (made.code !== 0) throw new Error(`share: ${made.stderr}`);
  const { token }: { token: string } = JSON.parse(made.stdout);
  return token;
}

/** By MCP. */
export async function startAgent(place: Place, product: Product): Promise<TestAgent> {
  const { relay, workspace } = product.ready;
  return await agentAt(`${relay}/w/${workspace}/mcp`, await tokenFor(place, "reviewer"));
}

/** By ACP. */
export async function startCodingAgent(place: Place, product: Product): Promise<ChildProcess> {
  const { relay, workspace } = product.ready;
  const url = `${relay.replace(/^http/, "ws")}/w/${workspace}/acp`;
  const program = join(import.meta.dirname, "..", "..", "test", "support", "page-agent.mjs");
  const token = await tokenFor(place, "coder");
  return spawn(process.execPath, [program, url, token], { cwd: place.folder, stdio: "ignore" });
}
