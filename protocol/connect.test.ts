// The configuration of each agent program, parsed as that program does.

import { parse as parseToml } from "smol-toml";
import { expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import type { HttpClientName } from "./connect.ts";
import {
  CLIENTS,
  getConfiguration,
  getHints,
  getInstruction,
  getStdioConfiguration,
  HTTP_CLIENTS,
} from "./connect.ts";

const URL = "https://relay.example.com/w/some-room/mcp";
const TOKEN = "pp_0123456789_abcdefghijklmnopqrstuvwxyzABCDEF";
const HEADERS = { Authorization: `Bearer ${TOKEN}` };

const readConfiguration = (client: HttpClientName, nodeVersion?: string) =>
  getConfiguration(client, { url: URL, token: TOKEN, nodeVersion });

/** The content of each file, by the documentation of its program. */
const FILES: Partial<
  Record<HttpClientName, [file: string, parse: (text: string) => unknown, held: object]>
> = {
  codex: [
    "~/.codex/config.toml",
    parseToml,
    {
      mcp_servers: {
        pairpty: { url: URL, http_headers: HEADERS, default_tools_approval_mode: "approve" },
      },
    },
  ],
  gemini: [
    ".gemini/settings.json",
    JSON.parse,
    { mcpServers: { pairpty: { httpUrl: URL, headers: HEADERS } } },
  ],
  opencode: [
    "opencode.json",
    JSON.parse,
    {
      $schema: "https://opencode.ai/config.json",
      mcp: {
        pairpty: { type: "remote", url: URL, headers: HEADERS, oauth: false, timeout: 60_000 },
      },
    },
  ],
  vscode: [
    ".vscode/mcp.json",
    JSON.parse,
    { servers: { pairpty: { type: "http", url: URL, headers: HEADERS } } },
  ],
  cursor: [
    ".cursor/mcp.json",
    JSON.parse,
    { mcpServers: { pairpty: { url: URL, headers: HEADERS } } },
  ],
  cline: [
    "cline_mcp_settings.json",
    JSON.parse,
    { mcpServers: { pairpty: { type: "streamableHttp", url: URL, headers: HEADERS } } },
  ],
  continue: [
    ".continue/mcpServers/pairpty.yaml",
    parseYaml,
    {
      name: "pairpty",
      version: "0.0.1",
      schema: "v1",
      mcpServers: [
        {
          name: "pairpty",
          type: "streamable-http",
          url: URL,
          requestOptions: { headers: HEADERS },
        },
      ],
    },
  ],
  zed: [
    "zed/settings.json",
    JSON.parse,
    { context_servers: { pairpty: { url: URL, headers: HEADERS } } },
  ],
  "responses-api": [
    "`tools`",
    JSON.parse,
    {
      type: "mcp",
      server_label: "pairpty",
      server_url: URL,
      authorization: TOKEN,
      require_approval: "always",
    },
  ],
};

test("C39 connect knows these programs", () => {
  expect(CLIENTS).toEqual(
    expect.arrayContaining(["gemini", "opencode", "cline", "continue", "claude-desktop", "zed"]),
  );
  const commands = HTTP_CLIENTS.filter((client) => FILES[client] === undefined);
  expect(commands).toEqual(["claude-code", "inspector"]);
  for (const client of commands) {
    expect(readConfiguration(client)).toContain(`--header "Authorization: Bearer ${TOKEN}"`);
    expect(readConfiguration(client).split("\n")).toHaveLength(1);
  }
});

test.each(Object.entries(FILES))("C106 M7 C107 %s gets a file that it can read", (client, row) => {
  const name = HTTP_CLIENTS.find((one) => one === client) ?? expect.unreachable(client);
  const [file, parse, held] = row;
  expect(parse(readConfiguration(name))).toEqual(held);
  expect(getInstruction(name)).toContain(file);
});

test("C109 claude-desktop takes commands only: it starts pairpty mcp", () => {
  const words = ["npx", "-y", "pairpty", "mcp", "--cwd", "/a folder"];
  expect(JSON.parse(getStdioConfiguration(words))).toEqual({
    mcpServers: { pairpty: { command: "npx", args: words.slice(1) } },
  });
  expect(getInstruction("claude-desktop")).toContain("claude_desktop_config.json");
});

test("C40 for each program that runs commands by itself, a hint says how to turn that off", () => {
  const off: Partial<Record<HttpClientName, string>> = {
    "claude-code": '"permissions": { "deny": ["Bash"] } into .claude/settings.json',
    codex: "`codex features disable shell_tool`",
    gemini: '"tools": { "exclude": ["run_shell_command"] } into the same file',
    opencode: '"permission": { "bash": "deny" } into the same file',
    vscode: "deselect the built-in tool set `execute`",
    cursor: "choose Allowlist, and leave the list empty",
    cline: '"disabledTools": ["run_commands"] into ~/.cline/data/settings/global-settings.json',
    continue: "`cn --exclude Bash`",
    zed: '"tool_permissions": { "tools": { "terminal": { "default": "deny" } } }',
  };
  for (const client of CLIENTS) {
    const hint = getHints(client).find((one) => one.includes("without pairpty"));
    const words = Object.entries(off).find(([name]) => name === client)?.[1];
    if (words === undefined) expect(hint, client).toBeUndefined();
    else expect(hint, client).toContain(words);
  }
  // Text for a JSON file must be valid JSON.
  for (const words of Object.values(off)) {
    const [, json] = /^("[^`]*\})/.exec(words) ?? [];
    if (json !== undefined) expect(() => JSON.parse(`{${json}}`), words).not.toThrow();
  }
});

test("C41 the Inspector's version fits the Node that it runs on", () => {
  const versionFor = (node?: string) =>
    /inspector@(\S+)/.exec(readConfiguration("inspector", node))?.[1];
  expect(["20.19.0", "20.20.2", "22.7.5", "22.18.9"].map(versionFor)).toEqual(Array(4).fill("1.0"));
  expect(["22.19.0", "22.20.1", "24.0.0", "100.1.0"].map(versionFor)).toEqual(
    Array(4).fill("latest"),
  );
  expect(versionFor()).toBe("latest");
  expect(getInstruction("inspector")).toBe("Run this, with Node 22.19 or newer:");
  expect(getInstruction("inspector", "20.20.2")).toBe("Run this:");
});
