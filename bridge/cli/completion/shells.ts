// Owns which shells there are completion scripts for.

export const SHELLS = ["bash", "zsh", "fish"] as const;
