// Owns every number that both sides of a wire must agree on, with its reason. Also owns the version
// integers of the two wires and the names of the subprotocols.

// A version changes only when an old reader would misread a new writer; new fields are optional.

/** Bridge ⇄ room. */
export const LINK_VERSION = 3;

/**
 * Bridge ⇄ pty host. A host outlives its bridge, so this wire must stay backward compatible the
 * longest.
 */
export const HOST_VERSION = 1;

/** Subprotocol of a person's socket: the JSON rendition of the pty dialect. */
export const PLAIN_SUBPROTOCOL = "pairpty.v1";

/** The same with output as raw bytes and acks in binary (output.ts); used by pairpty's own page. */
export const RAW_SUBPROTOCOL = "pairpty.v1.raw";

export const KiB = 1 << 10;
export const MiB = 1 << 20;

/**
 * Raw terminal bytes in one frame before the last read; a keystroke waits for at most this many.
 */
export const FRAME_SOFT_BYTES = 64 * KiB;

/** One PTY read may exceed the soft limit: a hard cut would double the number of frames. */
export const PTY_READ_BYTES = 4 * KiB;

/**
 * Largest payload of any frame. JSON text is longer than the bytes it quotes, so this is about
 * twice the soft limit; an encoder whose text is longer still splits the bytes and retries.
 */
export const MAX_FRAME_PAYLOAD = 128 * KiB;

/** Several frames share a WebSocket message; a longer message is an error. */
export const MAX_LINK_MESSAGE = 1 * MiB;

/**
 * First message of a bridge, before authentication: a hello with all fields at their maximum has
 * 1.2 KB.
 */
export const MAX_HELLO_BYTES = 4 * KiB;

/** One message from a person's client: the largest input, quoted as JSON. */
export const MAX_PEER_MESSAGE = 96 * KiB;

/** One message from a coding agent's socket: a file that it writes, quoted as JSON. */
export const MAX_AGENT_MESSAGE = 1 * MiB;

/** One message to a coding agent: the largest output of a terminal, or a file, quoted as JSON. */
export const MAX_MESSAGE_TO_AGENT = 8 * MiB;

/**
 * After each further block of this many bytes, an agent's message counts as one more message of its
 * rate limit.
 */
export const AGENT_BYTES_PER_RATE_UNIT = 32 * KiB;

/** Characters in one `pty:input`; a longer paste is sent in pieces. */
export const MAX_INPUT_CHARS = 64 * KiB;

/** Bytes per channel that a bridge may have in flight to the room before it waits for a receipt. */
export const UPLINK_WINDOW = 256 * KiB;

/** The room confirms receipt on request, and at least after this many bytes. */
export const RECEIPT_EVERY_BYTES = 96 * KiB;

/** The same limit in frames: small frames are limited by their number, not by their bytes. */
export const RECEIPT_EVERY_FRAMES = 16;

/** Bytes on one channel beyond a peer's last ack before the room skips that peer. */
export const PEER_HARD_CAP = 1 * MiB;

/** The same limit across all channels of a peer: 64 terminals at once must not cost 64 MiB. */
export const PEER_TOTAL_CAP = 8 * MiB;

/**
 * A skipped peer counts as drained when it has rendered all but this many of the bytes sent to it:
 * acks come in steps.
 */
export const PEER_DRAINED = 64 * KiB;

/** The room closes a peer after this many bytes without proof that the peer reads. */
export const UNPROVEN_BYTES = 16 * MiB;

/**
 * The room requests the proof this early: a peer that reads answers before twice its total cap is
 * sent.
 */
export const PROOF_REQUEST_BYTES = 4 * MiB;

/**
 * Range of unrendered bytes that a terminal's driver may have before its program is paused; depends
 * on the driver's speed.
 */
export const DRIVER_WINDOW = 512 * KiB;
export const MIN_DRIVER_WINDOW = 32 * KiB;

/** A viewer acks after this many more rendered bytes, or after ACK_MS. */
export const ACK_BYTES = 128 * KiB;

/**
 * Watchers ack less often: the program does not wait for them, and an ack costs the room more than
 * a message to a viewer. Not more than a replay sends before it waits for an ack.
 */
export const WATCHER_ACK_BYTES = 256 * KiB;

export const ACK_MS = 50;

/** Raw bytes kept per terminal for readers that resume. */
export const REPLAY_BYTES = 2 * MiB;

/** Bytes of `history` in an attach: the end of the replay buffer. */
export const HISTORY_BYTES = 64 * KiB;

/** How far into a truncated history a newline may be for the history to start after it. */
export const HISTORY_NEWLINE_REACH = 4 * KiB;

/** People in one room; each uses memory in the Durable Object. */
export const MAX_PEERS = 200;

/** People with the same link: a leaked link must not fill the room. */
export const MAX_PEERS_PER_GRANT = 50;

/** Coding agents' sockets per token; each may hold the room's longest message. */
export const MAX_AGENT_SOCKETS_PER_GRANT = 8;

/**
 * Rate of messages from one person's socket: above any typing, pasting in pieces or resizing. The
 * burst covers a long paste, or the acks of a page that was busy.
 */
export const PEER_MESSAGES_PER_SECOND = 100;
export const PEER_MESSAGES_BURST = 2_000;
export const PEER_RATE = { aSecond: PEER_MESSAGES_PER_SECOND, saved: PEER_MESSAGES_BURST } as const;

/** Concurrent HTTP requests, and starting terminals, per grant: one client cannot use up the bridge. */
export const MAX_REQUESTS_PER_GRANT = 32;

/**
 * Body of one tunnelled HTTP request. Responses have no limit: they are streams within a window.
 */
export const MAX_HTTP_BODY = 4 * MiB;

/** Body of one file upload, whatever the host allows: the limit of Cloudflare's free plan. */
export const MAX_FILE_BYTES = 95 * MiB;

/** The same in a sealed room: each record of 64 KiB adds 20 bytes, 30 KiB at most, and the head. */
export const MAX_SEALED_FILE_BYTES = MAX_FILE_BYTES - 128 * KiB;

/**
 * Bytes of one body in flight per direction before the receiver grants credit. A stalled reader
 * costs the other side no more; at 20 ms to a relay it still carries 12 MB/s.
 */
export const STREAM_WINDOW = 256 * KiB;

/** Grants per bridge; all of them are sent in a few frames after hello. */
export const MAX_GRANTS = 256;

/** Terminals one peer may be attached to: they are stored in its 16 KB socket attachment. */
export const MAX_ATTACHED = 64;

/** Largest size of a PTY. */
export const MAX_COLUMNS = 1000;
export const MAX_ROWS = 1000;

/** Columns times rows: more than a 4K screen shows. A full screen draws in about 10 ms. */
export const MAX_CELLS = 200_000;

/** The room closes a bridge that sends no hello within this time. */
export const HELLO_TIMEOUT_MS = 10_000;

/** How long a link may take to answer a nudge before it counts as dead. */
export const NUDGE_TIMEOUT_MS = 5_000;

/** The room nudges a bridge that was quiet for this long when a peer joins or sends. */
export const NUDGE_AFTER_QUIET_MS = 5_000;

/** The bridge drops input older than this on arrival: the person no longer expects it. */
export const MAX_INPUT_AGE_MS = 3_000;

/**
 * Largest number of a peer, a channel or a request of the relay's room. Windows on this machine have
 * higher ones, so that a relay cannot name one of them.
 */
export const MAX_ROOM_NUMBER = 0x7fff_ffff;
