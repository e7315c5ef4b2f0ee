// Copies text through the terminal (OSC 52, which also works over SSH) and through the desktop's
// clipboard program, if any. A terminal does not report whether it copied, so the message does not
// claim it.

import { spawn } from "node:child_process";
import { isDumb } from "../output/output.ts";

/** Enough to start a program; the user is waiting. */
const TOOL_TIMEOUT_MS = 2_000;

export interface ClipboardTool {
  readonly name: string;
  readonly args: readonly string[];
}

export interface CopyResult {
  /** The program that took the text, if any. */
  readonly tool: string | undefined;
  /** Whether OSC 52 was sent to the terminal. */
  readonly terminal: boolean;
}

/** Returns the clipboard programs to try, best first. Pure. */
export function listClipboardTools(
  environment: Readonly<Record<string, string | undefined>>,
  platform: string,
): ClipboardTool[] {
  const { WAYLAND_DISPLAY, DISPLAY, WSL_DISTRO_NAME, TMUX } = environment;
  const tools: [boolean, ClipboardTool][] = [
    [platform === "darwin", { name: "pbcopy", args: [] }],
    [Boolean(WAYLAND_DISPLAY), { name: "wl-copy", args: [] }],
    [Boolean(DISPLAY), { name: "xclip", args: ["-selection", "clipboard"] }],
    [Boolean(DISPLAY), { name: "xsel", args: ["--clipboard", "--input"] }],
    [Boolean(WSL_DISTRO_NAME), { name: "clip.exe", args: [] }],
    // By default tmux swallows OSC 52 from programs; wrapped in this sequence it passes it on.
    [Boolean(TMUX), { name: "tmux", args: ["load-buffer", "-w", "-"] }],
  ];
  return tools.filter(([there]) => there).map(([, tool]) => tool);
}

export async function copyToClipboard(text: string): Promise<CopyResult> {
  const terminal = process.stderr.isTTY && !isDumb(process.env);
  if (terminal) process.stderr.write(formatOsc52(text));
  for (const tool of listClipboardTools(process.env, process.platform)) {
    if (await runTool(tool, text)) return { tool: tool.name, terminal };
  }
  return { tool: undefined, terminal };
}

/** Returns a message about the copy; undefined if there was no way to copy. */
export function formatCopied({ tool, terminal }: CopyResult): string | undefined {
  if (tool !== undefined) return `copied with ${tool}`;
  return terminal
    ? "sent to your terminal's clipboard (OSC 52; not all terminals support it)"
    : undefined;
}

export function formatOsc52(text: string): string {
  return `\u001B]52;c;${Buffer.from(text).toString("base64")}\u0007`;
}

/** Runs the program; returns false if it is missing, fails or takes too long. */
function runTool({ name, args }: ClipboardTool, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    // xclip keeps running to serve the selection, so it must not hold our descriptors.
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
