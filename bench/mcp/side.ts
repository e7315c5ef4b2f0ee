// Owns what an agent does in this bench, whoever serves it: look, read, run something to its end.
// The pairpty side is the same calls of the 2026-07-28 wire through the relay and in-process.

export const TASKS = ["list", "read", "bash"] as const;
export type Task = (typeof TASKS)[number];

/** Each call gives text, which must hold the mark: a quick answer that is wrong is no answer. */
export interface Side {
  readonly name: string;
  readonly calls: Readonly<Record<Task, () => Promise<string>>>;
  readonly marks: Readonly<Record<Task, string>>;
}

/** Behind the history that is read; a command prints the other. */
const HISTORY_MARK = "END-OF-HISTORY";
const COMMAND_MARK = "ran-and-done";

const WIRE = "2026-07-28";

export type Post = (request: {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: string;
}) => Promise<Response>;

/** Prints the history and stays; raw, so that the history has as many bytes as the file. */
export function historyProgram(file: string): string[] {
  const script = `stty -opost; cat "$1"; printf ${HISTORY_MARK}; exec sleep 600`;
  return ["/bin/sh", "-c", script, "sh", file];
}

/** `terminalId` is a terminal that has printed the history. */
export function pairptySide(name: string, post: Post, terminalId: string): Side {
  return {
    name,
    calls: {
      list: () => call(post, "list_terminals", {}),
      read: () => call(post, "read_terminal", { terminalId }),
      bash: () => call(post, "bash", { command: `echo ${COMMAND_MARK}` }),
    },
    marks: { list: terminalId, read: HISTORY_MARK, bash: COMMAND_MARK },
  };
}

/** Resolves when the terminal has printed all of it. */
export async function historyIsThere(post: Post, terminalId: string): Promise<void> {
  const waitFor = { pattern: HISTORY_MARK };
  await call(post, "read_terminal", { terminalId, waitFor, timeoutMs: 10_000 });
}

let lastId = 0;

async function call(post: Post, tool: string, args: object): Promise<string> {
  const params = {
    name: tool,
    arguments: args,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": WIRE,
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  const response = await post({
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": WIRE,
      "mcp-method": "tools/call",
      "mcp-name": tool,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method: "tools/call", params }),
  });
  return getText(tool, await response.text());
}

interface Answer {
  readonly result?: { readonly content: { readonly text: string }[]; readonly isError?: boolean };
}

/** JSON, or the one event with an answer in it of a stream. */
function getText(tool: string, body: string): string {
  const lines = body.startsWith("{") ? [body] : body.split("\n");
  for (const line of lines) {
    const json = line.startsWith("data: ") ? line.slice("data: ".length) : line;
    if (!json.startsWith("{")) continue;
    const { result }: Answer = JSON.parse(json);
    const text = result?.content[0]?.text;
    if (text !== undefined && result?.isError !== true) return text;
  }
  throw new Error(`${tool} answered: ${body.slice(0, 300)}`);
}
