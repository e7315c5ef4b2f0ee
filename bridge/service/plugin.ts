// Owns the service as a plugin: what an application installs, the check of its configuration, and
// the package's default export.

import { ChatService, isToolKeeper } from "./chat-service.ts";
import { VERSION } from "../build-info.ts";
import { parseServiceConfig } from "./service-config.ts";
import { TerminalService } from "./terminal-service.ts";
import { tools } from "./service-tools.ts";
import type { TerminalApp, TerminalConfig, ToolKeeper } from "./types.ts";

/** The plugin's part of an application's configuration. */
export interface PluginConfig {
  terminal?: TerminalConfig;
}

export interface TerminalPlugin {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Installs the service, if the configuration has `terminal`; throws if that is invalid. */
  install(app: TerminalApp, config: PluginConfig): void;
  /** Parses the configuration; throws if it is invalid. */
  readonly config: { parse(config: unknown): PluginConfig };
}

/**
 * Creates the plugin. `Chat` is the service that gives agents their tools; default: any `addTools`.
 */
export function createPlugin(
  Chat: abstract new (...args: never[]) => ToolKeeper = ChatService,
): TerminalPlugin {
  return {
    name: "pairpty/service",
    version: VERSION,
    description: "Terminal and shell command execution service",
    install(app, { terminal }) {
      if (terminal === undefined) return;
      app.addServices(new TerminalService(terminal));
      // Some applications call back with undefined if they have no such service.
      app.waitForService?.(Chat, (chat) => isToolKeeper(chat) && chat.addTools(tools));
    },
    config: { parse: parseConfig },
  };
}

export const plugin: TerminalPlugin = createPlugin();

/**
 * The package's default export: a program constructs it, and an application installs it as
 * `plugin`.
 */
export class TerminalServicePlugin extends TerminalService {
  static override readonly name: string = plugin.name;
  static readonly version = plugin.version;
  static readonly description = plugin.description;
  static readonly config = plugin.config;

  static install(app: TerminalApp, config: PluginConfig): void {
    plugin.install(app, config);
  }
}

function parseConfig(config: unknown): PluginConfig {
  if (fits(config)) return config;
  throw new Error("config: not an object");
}

/** Whether it is a configuration object. Throws if its content is invalid. */
function fits(config: unknown): config is PluginConfig {
  if (typeof config !== "object" || config === null) return false;
  if ("terminal" in config && config.terminal !== undefined) parseServiceConfig(config.terminal);
  return true;
}
