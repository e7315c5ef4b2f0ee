// Owns the shells that have completion scripts.

export const SHELLS = ["bash", "zsh", "fish"] as const;
