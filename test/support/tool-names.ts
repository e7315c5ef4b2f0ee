// Owns the names of the tools that tests expect agents to be shown, each once.

/** Seed 004's, in the order of the seed. */
export const SESSION_TOOLS = [
  "bash",
  "terminal_start",
  "terminal_continue",
  "terminal_stop",
  "terminal_list",
] as const;

/** An agent's, unless its grant says otherwise. */
export const USUAL_TOOLS = [
  ...SESSION_TOOLS,
  "kill_terminal",
  "list_terminals",
  "promote_terminal",
  "read_terminal",
  "spawn_background_terminal",
  "terminal_read_screen",
] as const;
