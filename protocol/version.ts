// Owns the version integers of the two wires and the names of the subprotocols. A version changes
// only when an old reader would misread a new writer; new fields are optional.

/** Bridge ⇄ room. */
export const LINK_VERSION = 3;

/**
 * Bridge ⇄ pty host. A host outlives its bridge, so this wire must stay backward compatible the
 * longest.
 */
export const HOST_VERSION = 1;

/** Subprotocol of a person's socket: the JSON rendition of the pty dialect. */
export const PLAIN_SUBPROTOCOL = "pairpty.v1";

/** The same with output as raw bytes and acks in binary (raw.ts); used by pairpty's own page. */
export const RAW_SUBPROTOCOL = "pairpty.v1.raw";
