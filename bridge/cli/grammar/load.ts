// Loads each command's code only when it runs: a quick question to the bridge should not load the whole
// bridge.

export const load = {
  start: () => import("../start/start.ts"),
  access: () => import("../verbs/access.ts"),
  asking: () => import("../verbs/verbs.ts"),
  agents: () => import("../agents/verbs.ts"),
  mcp: () => import("../agents/mcp.ts"),
  agent: () => import("../agents/agent.ts"),
  approvals: () => import("../approvals/verbs.ts"),
  config: () => import("../config/config-verbs.ts"),
  completion: () => import("../completion/completion.ts"),
  logs: () => import("../verbs/logs.ts"),
  people: () => import("../verbs/people.ts"),
  shell: () => import("../shell/verbs.ts"),
  record: () => import("../recordings/record.ts"),
  play: () => import("../recordings/play.ts"),
  relay: () => import("../verbs/relay-verb.ts"),
  deploy: () => import("../deploy/deploy.ts"),
  doctor: () => import("../verbs/doctor.ts"),
};
