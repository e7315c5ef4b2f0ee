// Owns which examples the documents have, and how each is accounted for: run, run elsewhere, or not
// run, with the reason.

import { SETTINGS } from "../../bridge/config/schema.ts";
import type { Block } from "./documents.ts";
import { blocksIn, PAGES } from "./documents.ts";

export interface Entry {
  readonly page: string;
  readonly language: string;
  /** Stands in the block and in no other of that page and language; empty: all of them. */
  readonly has: string;
}

/** Run by another test, which names the same text. */
export const ELSEWHERE: readonly (Entry & { readonly by: string })[] = [
  by("self-hosting.test.ts", "docs/self-hosting.md", "sh", "pairpty relay\n"),
  by("self-hosting.test.ts", "docs/self-hosting.md", "sh", "--relay http://"),
  by("self-hosting.test.ts", "docs/self-hosting.md", "sh", "> relay.env"),
  by("self-hosting.test.ts", "docs/self-hosting.md", "ini", "ExecStart="),
  by("self-hosting.test.ts", "docs/self-hosting.md", "nginx", "proxy_pass"),
  by("self-hosting.test.ts", "docs/self-hosting.md", "caddyfile", "reverse_proxy"),
  by("self-hosting.test.ts", "docs/cloudflare.md", "sh", "--dry-run"),
  by("doctor.test.ts", "docs/sharing.md", "sh", "doctor"),
  by("shell-marks.test.ts", "docs/terminals.md", "bash", "133;A"),
  by("shell-marks.test.ts", "docs/terminals.md", "zsh", "133;A"),
  by("shell-marks.test.ts", "docs/terminals.md", "fish", "133;A"),
  by("docs-clients.test.ts", "docs/acp.md", "sh", "node stdio-agent.mjs"),
  by("config.test.ts", "docs/configuration.md", "sh", "--forget"),
];

const ACCOUNT = "needs an account with Cloudflare";
const PICTURE = "a picture";

/** Not run at all. */
export const NOT_RUN: readonly (Entry & { readonly why: string })[] = [
  not("runs a test in the tests", "CONTRIBUTING.md", "sh", "npx vitest run"),
  not(ACCOUNT, "docs/cloudflare.md", "sh", "wrangler login"),
  not(ACCOUNT, "docs/cloudflare.md", "sh", "npx wrangler deploy\n"),
  not(ACCOUNT, "docs/cloudflare.md", "sh", "wrangler secret put"),
  not(ACCOUNT, "docs/cloudflare.md", "toml", "custom_domain"),
  not("installs from the registry; package.test.ts does", "docs/self-hosting.md", "sh", "--prefix"),
  not("starts an agent; interop runs it", "docs/acp.md", "sh", "pairpty agent -- claude-code-acp"),
  not("starts an agent; interop runs it", "docs/acp.md", "sh", "-- pi-acp"),
  not("is all of the tests", "docs/releasing.md", "sh", ".ci/run"),
  not("makes a release", "docs/releasing.md", "sh", "npm version"),
  not("makes a release", "docs/releasing.md", "sh", "git push"),
  not("package.test.ts packs", "docs/releasing.md", "sh", "npm pack"),
  not(PICTURE, "docs/architecture.md", "text", "pty:input"),
  not(PICTURE, "docs/architecture.md", "text", "Hub.message"),
  not(PICTURE, "docs/architecture.md", "text", "POST /w/:id/mcp"),
  not(PICTURE, "docs/architecture.md", "text", "BashTool.run"),
  not(PICTURE, "docs/architecture.md", "text", "bridge.sock"),
  not(PICTURE, "docs/protocol.md", "text", "payload length"),
  not(PICTURE, "docs/protocol.md", "text", "span (u32)"),
  not("C35's test looks for it", "docs/agents.md", "text", "wants to run"),
  not("tables of npm run bench", "docs/performance.md", "text", ""),
  not("a formula", "docs/cloudflare.md", "text", "messages from the bridge / 20"),
  not("a sum", "docs/cloudflare.md", "text", "17,478"),
];

/** Languages that a test below runs, every block of them. */
export const RUN = new Set(["sh", "console", "json", "js"]);

function by(file: string, page: string, language: string, has: string) {
  return { by: file, page, language, has };
}

function not(why: string, page: string, language: string, has: string) {
  return { why, page, language, has };
}

export const BLOCKS = PAGES.flatMap(blocksIn);
export const fits = (entry: Entry, block: Block) =>
  entry.page === block.page && entry.language === block.language && block.text.includes(entry.has);
export const listed = (block: Block) =>
  [...ELSEWHERE, ...NOT_RUN].some((entry) => fits(entry, block));
export const toRun = (language: string) =>
  BLOCKS.filter((block) => block.language === language && !listed(block));
export const where = ({ page, line }: Block) => `${page}:${line}`;

/** What a block of JSON is. */
export function findKind({ text }: Block): "settings" | "client" | "messages" | "unknown" {
  if (text.startsWith('{ "type": ')) return "messages";
  const value: object = JSON.parse(text);
  if ("mcpServers" in value) return "client";
  const top = new Set(["$schema", ...SETTINGS.map(({ key }) => key.split(".")[0])]);
  return Object.keys(value).every((key) => top.has(key)) ? "settings" : "unknown";
}
