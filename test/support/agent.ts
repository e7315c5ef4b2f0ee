// Owns an agent through the relay, for tests: it calls tools and gets what they say.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export interface TestAgent {
  /** What the tool answers; its refusal is an error with its words. */
  readonly call: (name: string, args: Record<string, unknown>) => Promise<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** Returns a client of the SDK's that is connected through the relay. */
export async function connectClient(mcp: string, token: string): Promise<Client> {
  const client = new Client({ name: "an agent", version: "1" });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers } }),
  );
  return client;
}

export async function agentAt(mcp: string, token: string): Promise<TestAgent> {
  const client = await connectClient(mcp, token);
  return {
    call: async (name, args) => {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const [first] = content;
      const text = first?.type === "text" ? first.text : "";
      if (isError === true) throw new Error(text);
      return JSON.parse(text);
    },
    close: () => client.close(),
  };
}
