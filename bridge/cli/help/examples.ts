// Owns the examples that each command's help shows first.

export type Example = readonly [command: string, does: string];

export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  "": [
    ["pairpty", "share this folder's terminals"],
    ["pairpty --relay https://relay.example.com", "with others, through your relay"],
    ["pairpty share --label Ada", "a link to watch, for Ada"],
    ["pairpty connect claude-code", "connect an agent"],
  ],
  start: [
    ["pairpty", "share this folder on this machine"],
    ["pairpty --open", "and open it in a browser"],
    ["pairpty --relay https://relay.example.com --copy", "copy the edit link"],
    ["pairpty --cwd ~/project --json", "another folder, for a program"],
  ],
  shell: [
    ["pairpty shell", "your shell, shared with everyone in the workspace"],
    ["pairpty shell -- npm run dev", "one command"],
    ["pairpty shell --detach-key ctrl-]", "detach with another key"],
  ],
  attach: [
    ["pairpty attach", "the only open terminal"],
    ["pairpty attach 2", "number 2, as `pairpty ls` and the page show it"],
    ["pairpty attach 3f2a --watch", "watch the one whose id starts with 3f2a"],
    ["pairpty attach 4 --step-in", "type a password into an agent's number 4"],
  ],
  "agents-type": [
    ["pairpty agents-type 2 on", "agents with the scope `type` can type into terminal 2"],
    ["pairpty agents-type 2 off", "stop them"],
  ],
  close: [
    ["pairpty close 2", "end terminal 2, as `pairpty ls` and the page show it"],
    ["pairpty close 3f2a", "end the terminal whose id starts with 3f2a"],
  ],
  stop: [["pairpty stop", "end what `pairpty shell` started in the background"]],
  share: [
    ["pairpty share --label Ada", "a link to watch, for 30 days"],
    ["pairpty share --role edit --expires 2h", "a link to type with, for 2 hours instead of a day"],
    ["pairpty share --role agent --scopes read", "a token for an agent that only reads"],
    ["pairpty share --role agent --isolation sandbox", "its commands run in a sandbox"],
  ],
  connect: [
    ["pairpty connect claude-code", "the command that adds it"],
    ["pairpty connect cursor --scopes read", "its configuration, to read only"],
  ],
  agent: [
    ["pairpty agent -- claude-code-acp", "a coding agent: talk to it in the page"],
    ["pairpty agent --prompt 'run the tests' -- pi-acp", "one turn, printed here"],
    ["pairpty agent --isolation sandbox -- claude-code-acp", "in a sandbox, with the network"],
    [
      "pairpty agent -- node stdio-agent.mjs",
      "your own, on standard input and output: see docs/acp.md",
    ],
  ],
  mcp: [
    ["pairpty mcp --cwd ~/project", "the command that a local agent's program runs"],
    ["pairpty mcp --name reviewer", "a second agent of the same program"],
  ],
  audit: [
    ["pairpty audit", "what agents have done"],
    ["pairpty audit --follow", "and what they do next"],
    ["pairpty audit --json | jq .tool", "for programs"],
  ],
  approvals: [
    ["pairpty approvals", "agents' requests, and why they need approval"],
    ["pairpty approvals fj3k2a", "one of them, with every reason"],
    ["pairpty approvals --json | jq length", "for programs"],
  ],
  approve: [
    ["pairpty approve fj3k2a --code", "allow it once; asks for the code (key k)"],
    ["pairpty approve fj3k2a --code --session", "and the same command while the token lasts"],
    ["pairpty approve fj3k2a --code 48217730", "with the code on the command line, for scripts"],
  ],
  deny: [["pairpty deny fj3k2a --reason 'not on this branch'", "the agent reads the reason"]],
  rules: [
    ["pairpty rules", "what agents may repeat without approval"],
    ["pairpty rules --end r7k2pq", "the agent needs approval again"],
  ],
  policy: [[`echo '{"shell":"make"}' | pairpty policy check`, "what the policy says about make"]],
  "policy check": [
    [`echo '{"shell":"ls -la"}' | pairpty policy check`, "a shell command line"],
    [`echo '{"argv":["rm","x"]}' | pairpty policy check`, "a program with its arguments"],
  ],
  grants: [
    ["pairpty grants", "links and tokens"],
    ["pairpty grants --json", "the same for programs"],
  ],
  revoke: [["pairpty revoke gJIFNKjfyJ", "revoke this link; its pages close at once"]],
  record: [
    ["pairpty record 1", "record terminal 1; everyone in the workspace can see that"],
    ["pairpty record 1 --stop", "stop recording"],
    ["pairpty record 2 --out demo.cast", "record terminal 2 to this file"],
    ["pairpty record", "list recordings"],
  ],
  play: [
    ["pairpty play demo.cast", "play it at its own speed"],
    ["pairpty play demo.cast --speed 2 --idle-limit 1", "twice as fast, no pause over a second"],
  ],
  pin: [
    ["pairpty pin 1", "pin terminal 1 at its current size"],
    ["pairpty pin 1 120x40", "pin it at this size"],
    ["pairpty pin 1 --off", "unpin it"],
  ],
  rename: [
    ['pairpty rename 1 "web server"', "rename terminal 1 for everyone"],
    ["pairpty rename 1", "restore its default name"],
  ],
  people: [
    ["pairpty people", "who is connected, what they are viewing, and who is waiting"],
    ["pairpty people Ada --view", "limit Ada to watching"],
    ["pairpty people Ada --edit", "let Ada type again"],
  ],
  admit: [
    ["pairpty admit Ada", "let Ada in"],
    ["pairpty admit 4f1c09ab --code 48217730", "by id, with the code that the key k shows"],
  ],
  "turn-away": [["pairpty turn-away Ada", "turn Ada away"]],
  ls: [
    ["pairpty ls", "the open terminals"],
    ["pairpty ls | grep agent", "those that agents started"],
  ],
  status: [
    ["pairpty status", "link, latency, people, terminals"],
    ["pairpty status --json | jq .link", "for programs"],
  ],
  doctor: [
    ["pairpty doctor", "what works here, and what does not"],
    ["pairpty doctor --relay https://relay.example.com", "also the connection to this relay"],
    ["pairpty doctor --json | jq .ok", "for programs; exit code 5 if something fails"],
  ],
  logs: [
    ["pairpty logs --follow", "new lines as they are logged"],
    ["pairpty logs --level warn --since 1h", "recent problems"],
    ["pairpty logs --data /var/lib/pairpty", "the logs of your own relay"],
  ],
  config: [
    ["pairpty config explain", "every setting, and where it comes from"],
    ["pairpty config check", "all mistakes at once"],
    ["pairpty config trust", "allow the settings of a project's file"],
  ],
  "config path": [["pairpty config path", "which files pairpty reads here"]],
  "config check": [
    ["pairpty config check", "files and environment; exit code 2 if wrong"],
    ["pairpty config check pairpty.config.json", "only this file"],
  ],
  "config explain": [
    ["pairpty config explain", "every setting, and where it comes from"],
    ["pairpty config explain agents.idle", "one setting, layer by layer"],
  ],
  "config trust": [
    ["pairpty config trust", "review the project's file, and trust it"],
    ["pairpty config trust --forget", "stop trusting it"],
  ],
  completion: [
    [`eval "$(pairpty completion bash)"`, "in ~/.bashrc"],
    [`eval "$(pairpty completion zsh)"`, "in ~/.zshrc, after compinit"],
    ["pairpty completion fish | source", "in ~/.config/fish/config.fish"],
  ],
  help: [["pairpty help share", "the flags of share"]],
  version: [["pairpty version", "the same as `pairpty -v`"]],
  deploy: [
    ["pairpty deploy --dry-run", "see what would be uploaded"],
    ["pairpty deploy", "a relay of your own, with a new key; later: an upgrade"],
    ["pairpty deploy --remove", "remove it"],
  ],
  relay: [
    ["pairpty relay", "for this machine only, on port 8787"],
    ["RELAY_KEY='a long secret' pairpty relay", "behind a reverse proxy with TLS"],
    ["pairpty relay --host 0.0.0.0 --data /var/lib/pairpty", "for a network; needs RELAY_KEY"],
  ],
};
