// Loads each command's code only when it runs: a quick question to the bridge should not load the whole
// bridge.

export const loadCommand = {
  start: () => import("../start/start-bridge.ts"),
  access: () => import("../verbs/access-commands.ts"),
  asking: () => import("../verbs/list-commands.ts"),
  agents: () => import("../agents/audit-commands.ts"),
  mcp: () => import("../agents/mcp-command.ts"),
  agent: () => import("../agents/agent-command.ts"),
  approvals: () => import("../approvals/approval-commands.ts"),
  config: () => import("../config/config-commands.ts"),
  completion: () => import("../completion/completion.ts"),
  logs: () => import("../verbs/logs-command.ts"),
  people: () => import("../verbs/people-commands.ts"),
  shell: () => import("../shell/terminal-commands.ts"),
  record: () => import("../recordings/record-command.ts"),
  play: () => import("../recordings/play.ts"),
  relay: () => import("../verbs/relay-command.ts"),
  deploy: () => import("../deploy/deploy.ts"),
  doctor: () => import("../verbs/doctor.ts"),
};
