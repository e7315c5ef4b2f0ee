// Owns the version integers of the two wires and the subprotocol's name.
// A version changes only when an old reader would misread a new writer; new fields are optional.

/** Bridge ⇄ room. */
export const LINK_VERSION = 2;

/** Bridge ⇄ pty host. A host outlives its bridge, so this one must stay additive for longest. */
export const HOST_VERSION = 1;

/** What a person's socket selects; the JSON rendition of the pty dialect. */
export const SUBPROTOCOL = "pairpty.v1";

/** The same with output as raw bytes and acks in binary (raw.ts): what our own page speaks. */
export const RAW_SUBPROTOCOL = "pairpty.v1.raw";
