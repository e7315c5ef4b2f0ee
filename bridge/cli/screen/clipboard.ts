// Owns copying: by the terminal itself (OSC 52, which also works over SSH) and by the desktop's own
// program where there is one. A terminal does not say whether it obeyed, so neither do we.

import { spawn } from "node:child_process";
import { isDumb } from "../output/surface.ts";

/** Enough to start a program; somebody waits for the answer. */
const TOOL_TIMEOUT_MS = 2_000;

export interface Tool {
  readonly name: string;
  readonly args: readonly string[];
}

export interface Copied {
  /** The program that took it, if one did. */
  readonly tool: string | undefined;
  /** The terminal was asked to. */
  readonly terminal: boolean;
}

/** What may be there, the best first. Pure. */
export function clipboardTools(
  environment: Readonly<Record<string, string | undefined>>,
  platform: string,
): Tool[] {
  const { WAYLAND_DISPLAY, DISPLAY, WSL_DISTRO_NAME, TMUX } = environment;
  const tools: [boolean, Tool][] = [
    [platform === "darwin", { name: "pbcopy", args: [] }],
    [Boolean(WAYLAND_DISPLAY), { name: "wl-copy", args: [] }],
    [Boolean(DISPLAY), { name: "xclip", args: ["-selection", "clipboard"] }],
    [Boolean(DISPLAY), { name: "xsel", args: ["--clipboard", "--input"] }],
    [Boolean(WSL_DISTRO_NAME), { name: "clip.exe", args: [] }],
    // By default it keeps programs' OSC 52 to itself; asked this way it passes it on.
    [Boolean(TMUX), { name: "tmux", args: ["load-buffer", "-w", "-"] }],
  ];
  return tools.filter(([there]) => there).map(([, tool]) => tool);
}

export async function copy(text: string): Promise<Copied> {
  const terminal = process.stderr.isTTY && !isDumb(process.env);
  if (terminal) process.stderr.write(osc52(text));
  for (const tool of clipboardTools(process.env, process.platform)) {
    if (await feed(tool, text)) return { tool: tool.name, terminal };
  }
  return { tool: undefined, terminal };
}

/** What was done, in words; undefined when there was no way at all. */
export function copiedWords({ tool, terminal }: Copied): string | undefined {
  if (tool !== undefined) return `copied with ${tool}`;
  return terminal
    ? "handed to your terminal's clipboard (OSC 52; some do not allow it)"
    : undefined;
}

export function osc52(text: string): string {
  return `\u001B]52;c;${Buffer.from(text).toString("base64")}\u0007`;
}

/** False when it is not there, fails or takes too long. */
function feed({ name, args }: Tool, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    // xclip stays behind to serve the selection: it must not hold our descriptors.
    const child = spawn(name, args, { stdio: ["pipe", "ignore", "ignore"], detached: true });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve(false);
    }, TOOL_TIMEOUT_MS);
    const settle = (done: boolean) => {
      clearTimeout(timer);
      resolve(done);
    };
    child.on("error", () => settle(false));
    child.on("exit", (code) => settle(code === 0));
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}
