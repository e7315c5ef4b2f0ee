// Owns the exact configuration that each agent's program wants. Text in, text out.

export const CLIENTS = [
  "claude-code",
  "codex",
  "vscode",
  "cursor",
  "inspector",
  "responses-api",
] as const;
export type ClientName = (typeof CLIENTS)[number];

/** What to run or paste. */
export function configurationFor(client: ClientName, url: string, token: string): string {
  const headers = { Authorization: `Bearer ${token}` };
  switch (client) {
    case "claude-code":
      return `claude mcp add --transport http pairpty ${url} --header "Authorization: Bearer ${token}"`;
    case "codex":
      return [
        "[mcp_servers.pairpty]",
        `url = ${JSON.stringify(url)}`,
        `http_headers = { Authorization = ${JSON.stringify(headers.Authorization)} }`,
      ].join("\n");
    case "vscode":
      return json({ servers: { pairpty: { type: "http", url, headers } } });
    case "cursor":
      return json({ mcpServers: { pairpty: { url, headers } } });
    case "inspector":
      // Without -y it asks before it installs; on an older Node a bare name gets a version of long ago, which knows no headers.
      return `npx -y @modelcontextprotocol/inspector@latest --cli ${url} --transport http --header "Authorization: Bearer ${token}" --method tools/list`;
    case "responses-api":
      return json({
        type: "mcp",
        server_label: "pairpty",
        server_url: url,
        authorization: token,
        require_approval: "always",
      });
  }
}

/** Where it goes. */
export function placeFor(client: ClientName): string {
  switch (client) {
    case "claude-code":
      return "Run this:";
    case "codex":
      return "Put this into ~/.codex/config.toml:";
    case "vscode":
      return "Put this into .vscode/mcp.json:";
    case "cursor":
      return "Put this into .cursor/mcp.json:";
    case "inspector":
      return "Run this, with Node 22.19 or newer:";
    case "responses-api":
      return "Put this into the request's `tools` (the relay must be reachable from the internet):";
  }
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
