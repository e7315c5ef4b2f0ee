// Programs that tests run in terminals and around them, and the Debian packages that bring them.
// git is not among them: pairpty's own commands need it, so every machine that builds it has it.

export const TOOLS = {
  vim: "vim",
  less: "less",
  tmux: "tmux",
  make: "make",
  curl: "curl",
  python3: "python3",
  // Shells whose completion and reading of commands are tested.
  zsh: "zsh",
  fish: "fish",
  // Isolation of what agents start.
  bwrap: "bubblewrap",
  podman: "podman",
  runc: "runc",
  busybox: "busybox-static",
  "tini-static": "tini",
};
