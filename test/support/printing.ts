// Owns shell lines that print a known text of a known length.

export interface Printing {
  /** A shell line that prints the text at once; more lines may follow it. */
  readonly script: string;
  /** The shell becomes the printer: its end is the terminal's. */
  readonly last: string;
  /** Likewise, in many small writes. */
  readonly dribbled: string;
  readonly text: string;
}

/** Numbered lines of exactly so many bytes. */
export function printing(bytes: number): Printing {
  const lines = Math.floor(bytes / 50);
  const whole = Array.from({ length: lines + 1 }, (_, i) => `${String(i).padStart(49, "0")}\n`);
  const print = (each: string): string =>
    `awk 'BEGIN { for (i = 0; i < ${lines}; i++) { printf "%049d\\n", i${each} }; ` +
    `printf "%s", substr(sprintf("%049d\\n", ${lines}), 1, ${bytes % 50}) }'`;
  return {
    script: `stty -opost; ${print("")}`,
    last: `stty -opost; exec ${print("")}`,
    dribbled: `stty -opost; exec ${print("; fflush()")}`,
    text: whole.join("").slice(0, bytes),
  };
}
