import { McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import type { Caller } from "../../callers/caller.ts";
import type { LoadedMcp } from "./lazy-mcp-route.ts";
import { LazyMcpRoute } from "./lazy-mcp-route.ts";

const caller: Caller = {
  door: { name: "mcp", proof: "socket", sendAll: () => {} },
  since: 0,
  grantId: "g-1",
  grant: () => undefined,
  send: () => {},
  close: () => {},
};

function later() {
  const done: string[] = [];
  let loaded = () => {};
  const loading = new Promise<void>((resolve) => {
    loaded = resolve;
  });
  const dialect: LoadedMcp = {
    serve: async () => {
      done.push("served");
      return new Response("here");
    },
    createServer: () => {
      done.push("made");
      return new McpServer({ name: "test", version: "1" });
    },
    close: async () => void done.push("closed"),
  };
  const mcp = new LazyMcpRoute(async () => {
    done.push("loading");
    await loading;
    return dialect;
  });
  return { mcp, done, loaded };
}

test("M15 M28 MCP is loaded once, with whoever comes first, and both are served", async () => {
  const { mcp, done, loaded } = later();
  expect(done).toEqual([]);
  const answer = mcp.serve(caller, new Request("http://x/mcp"));
  const made = mcp.createServer(caller);
  expect(done).toEqual(["loading"]);
  loaded();
  expect(await (await answer).text()).toBe("here");
  await made;
  expect(done).toEqual(["loading", "served", "made"]);
});

test("M15 without an agent there is nothing to close; what is being loaded is closed when it is there", async () => {
  const none = later();
  await none.mcp.close();
  expect(none.done).toEqual([]);
  const { mcp, done, loaded } = later();
  const made = mcp.createServer(caller);
  const closed = mcp.close();
  expect(done).toEqual(["loading"]);
  loaded();
  await Promise.all([made, closed]);
  expect(done).toEqual(["loading", "made", "closed"]);
});
