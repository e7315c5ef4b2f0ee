// node mcp-client.mjs MCP_ADDRESS TOKEN: starts a command, waits for what it prints, ends it.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [address, token] = process.argv.slice(2);
const headers = { authorization: `Bearer ${token}` };
const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(
  new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }),
);
const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(result.content[0].text);
  return JSON.parse(result.content[0].text);
};

const { id: terminalId } = await call("spawn_background_terminal", {
  cwd: ".",
  command: ["node", "-e", "console.log('listening'); setInterval(() => {}, 1000)"],
});
const waitFor = { pattern: "listening" };
const { history } = await call("read_terminal", { terminalId, waitFor, timeoutMs: 20_000 });
console.log(history);
await call("kill_terminal", { terminalId });
await client.close();
