// Owns the plugin form of the service: what an application installs, and the check of its
// configuration.

import { VERSION } from "../version.ts";
import { readConfig } from "./config.ts";
import { TerminalService } from "./service.ts";
import { tools } from "./tools.ts";
import type { TerminalApp, TerminalConfig, ToolKeeper } from "./types.ts";

/** The part of an application's configuration that is the plugin's. */
export interface PluginConfig {
  terminal?: TerminalConfig;
}

export interface TerminalPlugin {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Does nothing where the configuration has no `terminal`. Throws when that does not fit. */
  install(app: TerminalApp, config: PluginConfig): void;
  /** Throws when it does not fit. */
  readonly config: { parse(config: unknown): PluginConfig };
}

/** `Chat` is the application's service that gives agents their tools; without it they get none. */
export function createPlugin(Chat?: abstract new (...args: never[]) => ToolKeeper): TerminalPlugin {
  return {
    name: "pairpty/service",
    version: VERSION,
    description: "Terminal and shell command execution service",
    install(app, { terminal }) {
      if (terminal === undefined) return;
      app.addServices(new TerminalService(terminal));
      if (Chat !== undefined) app.waitForService?.(Chat, (chat) => chat.addTools(tools));
    },
    config: { parse: parseConfig },
  };
}

export const plugin: TerminalPlugin = createPlugin();

function parseConfig(config: unknown): PluginConfig {
  if (fits(config)) return config;
  throw new Error("config: not an object");
}

/** Throws for what is wrong in it. */
function fits(config: unknown): config is PluginConfig {
  if (typeof config !== "object" || config === null) return false;
  if ("terminal" in config && config.terminal !== undefined) readConfig(config.terminal);
  return true;
}
