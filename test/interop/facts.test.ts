// Claude Code and Codex as they are published, with stand-ins for their models: what a model is shown
// of pairpty's answers. Both show the structured content alone. They come from npm, in exact versions,
// into a cache; `npm run test:interop`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cachedPackages } from "../../scripts/cached-packages.mjs";
import { answeringPerson } from "../support/answering.ts";
import { Place } from "../support/product.ts";
import type { Product } from "../support/product.ts";
import { passOver } from "../support/required.ts";
import type { PlainClient } from "../support/plain-client.ts";
import type { CallingModel, ToolCall } from "./calling-models.ts";
import { anthropicCalling, openaiCalling } from "./calling-models.ts";

const INSTALL_MS = 240_000;
const TURN_MS = 60_000;
/** Whatever they ask of anybody but the stand-in goes nowhere. */
const NOWHERE = "http://127.0.0.1:9";

interface AgentProgram {
  readonly model: (...calls: ToolCall[]) => Promise<CallingModel>;
  /** The program and its arguments; throws where it cannot be installed. */
  readonly command: () => string[];
  readonly environment: (address: string) => NodeJS.ProcessEnv;
  /** The answer in what the model is shown. */
  readonly answerIn: (shown: string) => string;
}

const PROGRAMS: Readonly<Record<string, AgentProgram>> = {
  "Claude Code 2.1.326": {
    model: anthropicCalling,
    command: () => {
      const modules = cachedPackages("@anthropic-ai/claude-code@2.1.326");
      const { mcp, token } = whereToConnect();
      const headers = { Authorization: `Bearer ${token}` };
      const servers = { mcpServers: { pairpty: { type: "http", url: mcp, headers } } };
      const program = `claude-code-${process.platform}-${process.arch}`;
      return [join(modules, "@anthropic-ai", program, "claude"), "-p", "go"]
        .concat(["--mcp-config", JSON.stringify(servers), "--strict-mcp-config"])
        .concat(["--allowedTools", "mcp__pairpty"]);
    },
    environment: (address) => ({
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_API_KEY: "x",
      IS_SANDBOX: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Else it finds the tools of a server by a search of its own, and does not wait for the server.
      ENABLE_TOOL_SEARCH: "false",
      MCP_CONNECTION_NONBLOCKING: "false",
    }),
    answerIn: (shown) => shown,
  },
  "Codex 0.169.0": {
    model: openaiCalling,
    command: () => {
      const modules = cachedPackages("@openai/codex@0.169.0");
      const program = join(modules, "@openai", "codex", "bin", "codex.js");
      return [process.execPath, program, "exec", "--skip-git-repo-check", "go"];
    },
    environment: (address) => {
      const home = join(place.root, ".codex");
      mkdirSync(home, { recursive: true });
      const { mcp, token } = whereToConnect();
      const settings = `model = "mock"
model_provider = "mock"
approval_policy = "never"
[model_providers.mock]
name = "mock"
base_url = "${address}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
[mcp_servers.pairpty]
url = "${mcp}"
http_headers = { Authorization = "Bearer ${token}" }
default_tools_approval_mode = "approve"
`;
      writeFileSync(join(home, "config.toml"), settings);
      return { CODEX_HOME: home, MOCK_KEY: "x" };
    },
    // Before it stands how long the call took.
    answerIn: (shown) => shown.slice(shown.indexOf("Output:\n") + "Output:\n".length),
  },
};

let place: Place;
let product: Product;
let person: PlainClient;

function whereToConnect(): { readonly mcp: string; readonly token: string } {
  const { endpoints, tokens } = product.ready;
  return { mcp: endpoints.mcp, token: tokens.agent };
}

beforeAll(async () => {
  place = new Place();
  product = await place.start();
  person = await answeringPerson(product);
});
afterAll(async () => {
  person.close();
  await place[Symbol.asyncDispose]();
});

/** What the model of this program is shown of each call's answer; undefined where it is not there. */
async function shownBy(program: AgentProgram, calls: ToolCall[]): Promise<string[] | undefined> {
  let command: string[];
  try {
    command = program.command();
  } catch (error) {
    passOver("interop", error);
    return undefined;
  }
  const model = await program.model(...calls);
  const [file = "", ...args] = command;
  const child = spawn(file, args, {
    cwd: place.folder,
    env: {
      ...place.environment,
      ...program.environment(model.address),
      HTTPS_PROXY: NOWHERE,
      HTTP_PROXY: NOWHERE,
      NO_PROXY: "127.0.0.1,localhost",
    },
    stdio: "ignore",
    timeout: TURN_MS,
  });
  await once(child, "exit");
  model.close();
  return model.shown.map((shown) => program.answerIn(shown));
}

const TESTS = `for (let n = 1; n <= 800; n++) {
  if (n !== 412) console.log('ok ' + n + ' - handles an error of the ' + n + 'th kind and goes on');
  else console.log('not ok 412 - adds two numbers\\n  expected: 4\\n  actual: 5');
}
console.log('# fail 1');
process.exitCode = 1;`;

test.each(Object.entries(PROGRAMS))(
  "Y32 Y31 %s shows its model every fact of an answer, and the one failure of 800 tests",
  async (_name, program) => {
    writeFileSync(join(place.folder, "tests.mjs"), TESTS);
    const command = ["sh", "-c", "echo of the user; sleep 1; exit 5"];
    const { id: terminalId } = await product.open({ command });
    const shown = await shownBy(program, [
      { name: "bash", args: { command: "node tests.mjs" } },
      { name: "terminal_start", args: { command: "echo over; exit 4" } },
      { name: "spawn_background_terminal", args: { cwd: ".", command: ["rm", "x"] } },
      { name: "read_terminal", args: { terminalId, waitFor: { exit: true } } },
    ]);
    if (shown === undefined) return;
    const [ran = "", started = "", blocked = "", read = ""] = shown;
    expect(ran).toContain("not ok 412 - adds two numbers");
    expect(ran).toContain("actual: 5");
    const { stdout, id, ...facts } = JSON.parse(ran) as Record<string, string>;
    expect(facts).toEqual({ ok: false, exitCode: 1, stderr: "" });
    expect(stdout).toContain(`terminal_continue with sessionId "${id}"`);
    expect(stdout?.endsWith("# fail 1\n")).toBe(true);
    expect(JSON.parse(started)).toMatchObject({
      output: "over\n",
      complete: true,
      waited: "exit",
      exitCode: 4,
      signal: null,
    });
    expect(blocked).toContain("Command blocked for security reasons");
    expect(blocked).toContain("No approval can allow it");
    expect(JSON.parse(read)).toEqual({
      terminalId,
      history: "of the user\n",
      offset: 0,
      next: 13,
      firstRetained: 0,
      truncated: false,
      exit: { exitCode: 5, signal: null },
      waited: "exit",
    });
  },
  INSTALL_MS + TURN_MS,
);
