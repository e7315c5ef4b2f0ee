// Owns the service as a plugin: what an application installs, the check of its configuration, and
// the package's default export. Also owns finding an application's service that gives agents their
// tools, without importing its class.

import { VERSION } from "../build-info.ts";
import { parseServiceConfig } from "./service-config.ts";
import { tools } from "./service-tools.ts";
import { TerminalService } from "./terminal-service.ts";
import type { TerminalApp, TerminalConfig, ToolKeeper, TerminalTool } from "./types.ts";

/**
 * Stands for the application's chat service. A lookup by `instanceof` finds the service that has
 * `addTools`; a lookup by name finds `ChatService`.
 */
abstract class ChatService implements ToolKeeper {
  static [Symbol.hasInstance](service: unknown): service is ToolKeeper {
    return isToolKeeper(service);
  }

  abstract addTools(tools: readonly TerminalTool[]): void;
}

function isToolKeeper(service: unknown): service is ToolKeeper {
  return (
    typeof service === "object" &&
    service !== null &&
    "addTools" in service &&
    typeof service.addTools === "function"
  );
}

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
