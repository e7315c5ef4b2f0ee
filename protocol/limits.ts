// Owns every number that both sides of a wire must agree on, with its reason.

export const KiB = 1 << 10;
export const MiB = 1 << 20;

/** Raw terminal bytes in one frame before the last read; a keystroke waits behind at most this. */
export const FRAME_SOFT_BYTES = 64 * KiB;

/** One PTY read may overshoot the soft limit: a hard cut doubles the number of frames. */
export const PTY_READ_BYTES = 4 * KiB;

/**
 * Largest payload of any frame. JSON text is longer than the bytes it quotes, so this is about
 * twice the soft limit; an encoder whose text is longer still splits the bytes and tries again.
 */
export const MAX_FRAME_PAYLOAD = 128 * KiB;

/** Several frames share a WebSocket message; beyond this the message is a fault, not a batch. */
export const MAX_LINK_MESSAGE = 1 * MiB;

/**
 * The first message of a bridge, which anybody can be: a hello has 1.2 KB with the longest of
 * everything. More is not looked at before it is known who sends it.
 */
export const MAX_HELLO_BYTES = 4 * KiB;

/** One message from a person's client: the largest input, quoted by JSON. */
export const MAX_PEER_MESSAGE = 96 * KiB;

/** One message of a coding agent's socket: a file that it writes, quoted by JSON. */
export const MAX_AGENT_MESSAGE = 1 * MiB;

/** One message to it: the largest output of a terminal, or a file, quoted by JSON. */
export const MAX_MESSAGE_TO_AGENT = 8 * MiB;

/** So much of a message costs an agent as much as one message more, of those it may send a second. */
export const AGENT_BYTES_LIKE_A_MESSAGE = 32 * KiB;

/** Characters in one `pty:input`; a longer paste is sent in pieces. */
export const MAX_INPUT_CHARS = 64 * KiB;

/** Bytes a bridge may have under way to the room per channel before it waits for a mark. */
export const UPLINK_WINDOW = 256 * KiB;

/** The room confirms receipt when it is asked to, and at least this often. */
export const MARK_EVERY_BYTES = 96 * KiB;

/** And at least this often: small frames are bounded by their number, not by their bytes. */
export const MARK_EVERY_FRAMES = 16;

/** Bytes the room sends a peer on one channel beyond its last ack before it skips that peer. */
export const PEER_HARD_CAP = 1 * MiB;

/** The same over all channels of a peer: 64 terminals at once must not cost 64 MiB. */
export const PEER_TOTAL_CAP = 8 * MiB;

/** A skipped peer counts as drained this close to what it was sent: acks come in steps. */
export const PEER_DRAINED = 64 * KiB;

/** What a peer was sent without having shown that it reads: beyond this it is a dead end. */
export const UNPROVEN_BYTES = 16 * MiB;

/** It is asked to show it this early: one that reads answers before twice its total cap went out. */
export const PROOF_ASK_BYTES = 4 * MiB;

/** What the driver of a terminal may have unrendered before its program is held back: by its speed. */
export const DRIVER_WINDOW = 512 * KiB;
export const DRIVER_WINDOW_LEAST = 32 * KiB;

/** A viewer says what it rendered when it is this much more, or this much later. */
export const ACK_BYTES = 128 * KiB;

/**
 * One that only looks on says it less often: nobody waits for it, and an ack costs the room more than
 * a message to a viewer. No more than a replay sends before it waits for one.
 */
export const WATCHER_ACK_BYTES = 256 * KiB;

export const ACK_MS = 50;

/** Raw bytes kept per terminal for resuming readers. */
export const REPLAY_BYTES = 2 * MiB;

/** The seed's `history`: a view of the end of the replay buffer. */
export const HISTORY_BYTES = 64 * KiB;

/** How far into a truncated history a newline may be to count as near. */
export const HISTORY_NEWLINE_REACH = 4 * KiB;

/** People in one room; each costs memory in the Durable Object. */
export const MAX_PEERS = 200;

/** People who came by one link: one that leaked must not keep everybody else out. */
export const MAX_PEERS_PER_GRANT = 50;

/** Coding agents' sockets by one token; each may hold the room's longest message. */
export const MAX_AGENT_SOCKETS_PER_GRANT = 8;

/**
 * Messages that one person's socket may send: more than anybody types, pastes in pieces or resizes.
 * What it may save up is for a long paste, or the acks of a page that was busy.
 */
export const PEER_MESSAGES_A_SECOND = 100;
export const PEER_MESSAGES_SAVED = 2_000;
export const PEER_RATE = { aSecond: PEER_MESSAGES_A_SECOND, saved: PEER_MESSAGES_SAVED } as const;

/** HTTP requests under way per grant, so that one client cannot hold all of the bridge. */
export const MAX_REQUESTS_PER_GRANT = 32;

/** Body of one tunnelled HTTP request. Answers have no limit: they are streams, held to a window. */
export const MAX_HTTP_BODY = 4 * MiB;

/** The body of one that brings a file, whatever its host allows: what Cloudflare's free plan takes. */
export const MAX_FILE_BYTES = 95 * MiB;

/**
 * Bytes of one body that may be under way in a stream, each way, before its receiver gives credit.
 * All that a stalled reader costs the other side; at 20 ms to a relay it still carries 12 MB/s.
 */
export const STREAM_WINDOW = 256 * KiB;

/** Grants a bridge may have at once; all of them travel in a few frames after hello. */
export const MAX_GRANTS = 256;

/** Terminals one peer may be attached to: they are kept in its 16 KB socket attachment. */
export const MAX_ATTACHED = 64;

/** Columns and rows that a PTY takes here. */
export const MAX_COLUMNS = 1000;
export const MAX_ROWS = 1000;

/** Columns times rows: more than a screen of 4K shows. What fills it draws in about 10 ms. */
export const MAX_CELLS = 200_000;

/** A bridge that says no hello within this time is closed. */
export const HELLO_TIMEOUT_MS = 10_000;

/** How long a link may take to answer a nudge before it counts as dead. */
export const NUDGE_TIMEOUT_MS = 5_000;

/** A bridge that was quiet for so long is nudged by the room when a peer speaks or joins. */
export const NUDGE_AFTER_QUIET_MS = 5_000;

/** Input that is older than this when it comes to the bridge is dropped: nobody expects it any more. */
export const MAX_INPUT_AGE_MS = 3_000;
