// Owns the numbers of the frame types. "R→B" is room to bridge, "H→B" is pty host to bridge.
// Payloads are JSON of the schema named (link.ts, host.ts, http.ts) unless the line says bytes.

/** Flag of `peerSend` and `groupSend`: the body goes to the socket as bytes. */
export const BINARY = 1;

/** Flag of an agent's `peerMessage` and `peerSend`: more of the same message follows (pieces.ts). */
export const MORE = 2;
/** And: it continues one. */
export const CONTINUED = 4;

export const FrameType = {
  // Link: who is there.
  /** R→B `Challenge`: the first frame on a link. */
  challenge: 0x01,
  /** B→R `Hello`: the answer, signed. */
  hello: 0x02,
  /** R→B `Accepted`: the link is up; what the room knows follows, ended by `caughtUp`. */
  accepted: 0x03,
  /** R→B, empty: everything the room knew has been told. */
  caughtUp: 0x04,
  /** Both ways, empty: answer with `alive`. */
  nudge: 0x05,
  /**
   * Both ways: the answer to `nudge`. From the room, bytes: u64, its Unix ms; marks for every channel
   * go before it. From the bridge, empty.
   */
  alive: 0x06,
  /** B→R `GrantsUpdate`: who may come in. */
  grants: 0x07,
  /** B→R `Farewell`: what peers are told once this bridge is gone. A room of before ignores it. */
  farewell: 0x08,
  /**
   * R→B, empty: peers were told that this bridge is silent, and what they sent since then was
   * dropped. Greet them again, as after a cut.
   */
  greetAgain: 0x09,

  // Peer: stream is the peer's number.
  /** R→B `PeerJoined`. */
  peerJoined: 0x10,
  /** R→B, empty. */
  peerLeft: 0x11,
  /**
   * R→B, bytes: the room's Unix ms (stamp.ts), then the text of one message from a peer, an agent's
   * in pieces where it is long. At `terminal.sock` the text alone.
   */
  peerMessage: 0x12,
  /** B→R, bytes: one message to a peer, text unless flagged `BINARY`; stream 0 is every peer. */
  peerSend: 0x13,
  /** B→R `PeerClose`: end a peer's socket. */
  peerClose: 0x14,
  /** B→R, bytes: one message to several peers (raw.ts), text unless flagged `BINARY`. */
  groupSend: 0x15,

  // Channel: stream is the channel's number.
  /** B→R `ChannelOpen`: names a channel. Opening a known number again changes nothing. */
  channelOpen: 0x20,
  /** B→R, empty: the channel and its subscriptions are over. */
  channelClose: 0x21,
  /** R→B `ChannelState`: after `accepted`, one for each channel the room still has. */
  channelState: 0x22,
  /** B→R `Join`: a peer gets this channel's output from now on. */
  join: 0x23,
  /** B→R `Leave`: and no longer. */
  leave: 0x24,
  /** B→R and H→B, bytes: offset, span and body (output.ts). From the host, stream is a terminal. */
  output: 0x25,
  /** R→B, bytes: u64, everything before this offset has reached the room. */
  received: 0x26,
  /** B→R `Acked`: a peer has rendered a channel up to here. */
  acked: 0x27,
  /** R→B `Skipped`: a peer is too far behind and gets nothing until it is joined anew. */
  skipped: 0x28,
  /**
   * Peer→R and R→B, bytes: what a raw peer has rendered, of several channels (raw.ts). From the
   * room, stream is the peer, and only watched channels and those it is not joined to are told.
   */
  acks: 0x29,
  /** R→B `Drained`: a skipped peer has rendered nearly all it was sent; now it can be joined anew. */
  drained: 0x2a,
  /** B→R `Watch`: whether the bridge wants to hear a raw peer's acks on this channel. */
  watch: 0x2b,
  /**
   * R→raw peer, bytes: u64, a number that nobody can guess. It comes back in the peer's acks, as
   * those of channel 0, and shows that the peer reads.
   */
  proof: 0x2c,

  // Stream: tunnelled HTTP; stream is the request's number.
  /** R→B `StreamOpen`: a request's head. */
  streamOpen: 0x30,
  /** B→R `StreamHead`: a response's head. */
  streamHead: 0x31,
  /** Both ways, bytes: a piece of a body. */
  streamData: 0x32,
  /** Both ways, empty: the body is whole. */
  streamEnd: 0x33,
  /** Both ways `StreamCancel`: nobody waits for the rest. */
  streamCancel: 0x34,
  /** Both ways, bytes: u64, how many bytes of the other side's body may be sent, from its start. */
  streamCredit: 0x35,

  // Pty host: stream is the terminal's handle where there is one.
  /** B→H `HostHello`. */
  hostHello: 0x50,
  /** H→B `HostWelcome`, then one `terminalState` for each terminal, then `caughtUp`. */
  hostWelcome: 0x51,
  /** H→B `TerminalState`: one terminal as it is, after a welcome or a spawn. */
  terminalState: 0x52,
  /** B→H `Spawn`. */
  spawn: 0x53,
  /** H→B `Failed`: a request that could not be done. */
  failed: 0x54,
  /** B→H, bytes: type this. */
  input: 0x55,
  /** B→H `Resize`. */
  resize: 0x56,
  /** B→H `Signal`. */
  signal: 0x57,
  /** B→H `Read`: send bytes from an offset on, as far as the credit goes. */
  read: 0x58,
  /** B→H, bytes: u64, the offset up to which bytes may now be sent. Renews the lease of a pause. */
  credit: 0x59,
  /** B→H, empty: send no more bytes of this terminal. */
  unread: 0x5a,
  /** H→B `Gap`: bytes that a reader wanted have fallen out of the buffer. */
  gap: 0x5b,
  /** B→H `Fetch`: a copy of what is retained, answered by `chunk`s. */
  fetch: 0x5c,
  /** H→B, bytes: request, end mark, offset and body (output.ts); stream is the terminal. */
  chunk: 0x5d,
  /** H→B `Activity`: something was printed or typed. At most a few a second per terminal. */
  activity: 0x5e,
  /** H→B `Exited`: after the last byte was read from the PTY. */
  exited: 0x5f,
  /** B→H `SetMeta`: what the next bridge should know of this terminal. */
  setMeta: 0x60,
  /** B→H, bytes: what the next bridge should know of this bridge. */
  setState: 0x61,
  /** B→H, empty: end all terminals, then yourself. */
  shutdown: 0x62,
  /** B→H, empty: forget a finished terminal now. */
  forget: 0x63,
  /** B→H `ScreenAsk`: what a screen of this terminal needs beside its bytes. */
  screenAsk: 0x64,
  /** H→B `ScreenState`: the answer, behind a `checkpoint` if one was asked for and is there. */
  screenState: 0x65,
  /** Both ways, bytes: a screen as it was at an offset (screen.ts), kept for the next bridge. */
  checkpoint: 0x66,
  /** H→B `Query`: the program asked the terminal something. Told again to a new bridge. */
  query: 0x67,
  /** B→H, bytes: u64, the offset up to which questions are answered, and what to type. */
  answer: 0x68,
  /** H→B `Title`: what the program calls itself now. At most two a second per terminal. */
  title: 0x69,
} as const;
