// Owns the configuration that each agent program needs to reach pairpty, its location, and hints
// for its user. Pure text. The facts come from each program's own documentation.

/** Programs that reach pairpty by HTTP, with a token. */
export const HTTP_CLIENTS = [
  "claude-code",
  "codex",
  "gemini",
  "opencode",
  "vscode",
  "cursor",
  "cline",
  "continue",
  "zed",
  "inspector",
  "responses-api",
] as const;
export type HttpClientName = (typeof HTTP_CLIENTS)[number];

/** Programs whose configuration takes commands only: they start `pairpty mcp` and need no token. */
export const STDIO_CLIENTS = ["claude-desktop"] as const;
export type StdioClientName = (typeof STDIO_CLIENTS)[number];

export const CLIENTS = [...HTTP_CLIENTS, ...STDIO_CLIENTS] as const;
export type ClientName = (typeof CLIENTS)[number];

export function isStdioClient(client: ClientName): client is StdioClientName {
  return STDIO_CLIENTS.some((name) => name === client);
}

export interface Connection {
  readonly url: string;
  readonly token: string;
  /** The Node version that a printed command will run on, such as "20.20.2"; absent if unknown. */
  readonly nodeVersion?: string | undefined;
}

interface HttpClient {
  /** Instruction that names the place of the configuration. */
  readonly instruction: string;
  /** Returns the command to run or the text to paste. */
  readonly configuration: (connection: Connection) => string;
  /** Hint that the configuration does not show. */
  readonly note?: string;
  /** The program's own tool for commands, and how to turn it off. */
  readonly shell?: { readonly name: string; readonly off: string };
}

/** Calls wait up to 55 s; by default opencode aborts a request after 5 s. */
const OPENCODE_TIMEOUT_MS = 60_000;

/** The oldest Node that the Inspector's newest version runs on. */
const INSPECTOR_NODE = [22, 19] as const;
/** The last version that runs on Node 20: 2.0 does not start there. */
const OLDER_INSPECTOR = "1.0";

const HTTP: Readonly<Record<HttpClientName, HttpClient>> = {
  "claude-code": {
    instruction: "Run this:",
    configuration: ({ url, token }) =>
      `claude mcp add --transport http pairpty ${url} --header "Authorization: Bearer ${token}"`,
    shell: {
      name: "Claude Code",
      off: 'put "permissions": { "deny": ["Bash"] } into .claude/settings.json',
    },
  },
  codex: {
    instruction: "Put this into ~/.codex/config.toml:",
    configuration: ({ url, token }) =>
      [
        "[mcp_servers.pairpty]",
        `url = ${JSON.stringify(url)}`,
        `http_headers = { Authorization = ${JSON.stringify(`Bearer ${token}`)} }`,
        'default_tools_approval_mode = "approve"',
      ].join("\n"),
    note: 'With default_tools_approval_mode = "approve", Codex leaves approvals to pairpty. `codex exec` needs this line: without it, it cannot use pairpty\'s tools.',
    shell: { name: "Codex", off: "run `codex features disable shell_tool`" },
  },
  gemini: {
    instruction:
      "Put this into .gemini/settings.json, or into ~/.gemini/settings.json for every folder:",
    configuration: ({ url, token }) =>
      toJson({ mcpServers: { pairpty: { httpUrl: url, headers: toHeaders(token) } } }),
    note: 'Gemini uses MCP servers only in folders that you trust, and asks before it calls a tool. Without a person (`gemini -p`) it calls none of pairpty\'s, unless you add "trust": true beside "httpUrl".',
    shell: {
      name: "Gemini",
      off: 'put "tools": { "exclude": ["run_shell_command"] } into the same file',
    },
  },
  opencode: {
    instruction:
      "Put this into opencode.json, or into ~/.config/opencode/opencode.json for every folder:",
    configuration: ({ url, token }) =>
      toJson({
        $schema: "https://opencode.ai/config.json",
        mcp: {
          pairpty: {
            type: "remote",
            url,
            headers: toHeaders(token),
            oauth: false,
            timeout: OPENCODE_TIMEOUT_MS,
          },
        },
      }),
    shell: {
      name: "opencode",
      off: 'put "permission": { "bash": "deny" } into the same file',
    },
  },
  vscode: {
    instruction: "Put this into .vscode/mcp.json:",
    configuration: ({ url, token }) =>
      toJson({ servers: { pairpty: { type: "http", url, headers: toHeaders(token) } } }),
    shell: {
      name: "VS Code",
      off: "select Configure Tools in the Chat view, and deselect the built-in tool set `execute`",
    },
  },
  cursor: {
    instruction: "Put this into .cursor/mcp.json:",
    configuration: ({ url, token }) =>
      toJson({ mcpServers: { pairpty: { url, headers: toHeaders(token) } } }),
    shell: {
      name: "Cursor",
      off: "there is no switch; in Cursor Settings > Agents > Approvals & Execution choose Allowlist, and leave the list empty",
    },
  },
  cline: {
    instruction:
      "Put this into ~/.cline/data/settings/cline_mcp_settings.json (in the editor: MCP Servers > Configure > Configure MCP Servers):",
    configuration: ({ url, token }) =>
      toJson({
        mcpServers: { pairpty: { type: "streamableHttp", url, headers: toHeaders(token) } },
      }),
    shell: {
      name: "Cline",
      off: 'put "disabledTools": ["run_commands"] into ~/.cline/data/settings/global-settings.json',
    },
  },
  continue: {
    instruction: "Put this into .continue/mcpServers/pairpty.yaml:",
    configuration: ({ url, token }) =>
      [
        "name: pairpty",
        "version: 0.0.1",
        "schema: v1",
        "mcpServers:",
        "  - name: pairpty",
        "    type: streamable-http",
        `    url: ${JSON.stringify(url)}`,
        "    requestOptions:",
        "      headers:",
        `        Authorization: ${JSON.stringify(`Bearer ${token}`)}`,
      ].join("\n"),
    shell: {
      name: "Continue",
      off: "start it with `cn --exclude Bash`, or put `exclude: [Bash]` into ~/.continue/permissions.yaml",
    },
  },
  zed: {
    instruction: "Put this into ~/.config/zed/settings.json (the action zed: open settings file):",
    configuration: ({ url, token }) =>
      toJson({ context_servers: { pairpty: { url, headers: toHeaders(token) } } }),
    shell: {
      name: "Zed's agent",
      off: 'put "agent": { "tool_permissions": { "tools": { "terminal": { "default": "deny" } } } } into the same file',
    },
  },
  inspector: {
    instruction: "Run this:",
    // Without -y, npx prompts before it installs.
    configuration: ({ url, token, nodeVersion }) =>
      `npx -y @modelcontextprotocol/inspector@${inspectorVersion(nodeVersion)} --cli ${url} --transport http --header "Authorization: Bearer ${token}" --method tools/list`,
  },
  "responses-api": {
    instruction:
      "Put this into the request's `tools` (the relay must be reachable from the internet):",
    configuration: ({ url, token }) =>
      toJson({
        type: "mcp",
        server_label: "pairpty",
        server_url: url,
        authorization: token,
        require_approval: "always",
      }),
  },
};

/** Returns the command to run or the text to paste. */
export function getConfiguration(client: HttpClientName, connection: Connection): string {
  return HTTP[client].configuration(connection);
}

/** Returns the configuration of a program that starts `command` and speaks MCP with it. */
export function getStdioConfiguration([command = "", ...args]: readonly string[]): string {
  return toJson({ mcpServers: { pairpty: { command, args } } });
}

/** Returns the instruction that names the place of the configuration. */
export function getInstruction(client: ClientName, nodeVersion?: string): string {
  if (isStdioClient(client)) {
    return "Put this into claude_desktop_config.json (in Claude Desktop: Settings > Developer > Edit Config), and start Claude Desktop again:";
  }
  const isNodeUnknown = client === "inspector" && nodeVersion === undefined;
  return isNodeUnknown
    ? `Run this, with Node ${INSPECTOR_NODE.join(".")} or newer:`
    : HTTP[client].instruction;
}

/** Returns hints for the program's user beside the configuration. */
export function getHints(client: ClientName): string[] {
  if (isStdioClient(client)) return [];
  const { note, shell } = HTTP[client];
  const hints = [
    note,
    shell === undefined
      ? undefined
      : `${shell.name} can also run commands without pairpty: no one sees those here, and pairpty's rules do not apply. To turn that off: ${shell.off}.`,
  ];
  return hints.filter((hint) => hint !== undefined);
}

function inspectorVersion(nodeVersion: string | undefined): string {
  if (nodeVersion === undefined) return "latest";
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const [minMajor, minMinor] = INSPECTOR_NODE;
  const isNewEnough = major > minMajor || (major === minMajor && minor >= minMinor);
  return isNewEnough ? "latest" : OLDER_INSPECTOR;
}

function toHeaders(token: string): { readonly Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}

function toJson(value: object): string {
  return JSON.stringify(value, null, 2);
}
