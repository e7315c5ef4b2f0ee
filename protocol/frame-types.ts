// Owns the numbers of the frame types. "R→B" is room to bridge, "H→B" is pty host to bridge.
// Payloads are JSON of the schema named (link.ts, host.ts, http.ts) unless the line says bytes.

/** Flag of `peerSend` and `groupSend`: the body goes to the socket as bytes. */
export const FLAG_BINARY = 1;

/** Flag of an agent's `peerMessage` and `peerSend`: more of the same message follows (link.ts). */
export const FLAG_MORE = 2;
/** Flag of the same frames: this one continues a message. */
export const FLAG_CONTINUED = 4;

export const FrameType = {
  // Link state.
  /** R→B `Challenge`: the first frame on a link. */
  challenge: 0x01,
  /** B→R `Hello`: the answer, signed. */
  hello: 0x02,
  /** R→B `Accepted`: the link is up; the room's state follows, ended by `caughtUp`. */
  accepted: 0x03,
  /** R→B, empty: the room has sent its whole state. */
  caughtUp: 0x04,
  /** Both ways, empty: requests `alive`. */
  nudge: 0x05,
  /**
   * Both ways: the answer to `nudge`. From the room, bytes: u64, its Unix ms, after a receipt for
   * every channel. From the bridge, empty.
   */
  alive: 0x06,
  /** B→R `GrantsUpdate`: the valid grants. */
  grants: 0x07,
  /**
   * B→R `Farewell`: what the room sends to peers once this bridge is gone. Older rooms ignore it.
   */
  farewell: 0x08,
  /**
   * R→B, empty: the room reported this bridge as silent and dropped peers' messages since then. The
   * bridge greets all peers again, as after a disconnect.
   */
  greetAgain: 0x09,

  // Peer: stream is the peer's number.
  /** R→B `PeerJoined`. */
  peerJoined: 0x10,
  /** R→B, empty. */
  peerLeft: 0x11,
  /**
   * R→B, bytes: the room's Unix ms (link.ts), then the text of one message from a peer; an agent's
   * long message comes in pieces. At `terminal.sock` the text alone.
   */
  peerMessage: 0x12,
  /** B→R, bytes: one message to a peer, text unless flagged `FLAG_BINARY`; stream 0 is every peer. */
  peerSend: 0x13,
  /** B→R `PeerClose`: closes a peer's socket. */
  peerClose: 0x14,
  /** B→R, bytes: one message to several peers (output.ts), text unless flagged `FLAG_BINARY`. */
  groupSend: 0x15,

  // Channel: stream is the channel's number.
  /** B→R `ChannelOpen`: names a channel. Reopening a known number has no effect. */
  channelOpen: 0x20,
  /** B→R, empty: closes the channel and its subscriptions. */
  channelClose: 0x21,
  /** R→B `ChannelState`: after `accepted`, one for each channel the room still has. */
  channelState: 0x22,
  /** B→R `Join`: subscribes a peer to this channel's output. */
  join: 0x23,
  /** B→R `Leave`: ends the subscription. */
  leave: 0x24,
  /** B→R and H→B, bytes: offset, span and body (output.ts). From the host, stream is a terminal. */
  output: 0x25,
  /** R→B, bytes: u64, the room has received everything before this offset. */
  received: 0x26,
  /** B→R `Acked`: a peer has rendered a channel up to this offset. */
  acked: 0x27,
  /** R→B `Skipped`: a peer is too far behind and gets nothing until it is joined again. */
  skipped: 0x28,
  /**
   * Peer→R and R→B, bytes: what a raw peer has rendered, for several channels (output.ts). From the
   * room, stream is the peer, and only watched channels and those it has not joined are included.
   */
  acks: 0x29,
  /** R→B `Drained`: a skipped peer has rendered nearly all it was sent and can be joined again. */
  drained: 0x2a,
  /** B→R `Watch`: whether the bridge wants a raw peer's acks on this channel. */
  watch: 0x2b,
  /**
   * R→raw peer, bytes: u64, an unguessable number. The peer returns it as an ack of channel 0,
   * which proves that it reads.
   */
  proof: 0x2c,

  // Stream: tunnelled HTTP; stream is the request's number.
  /** R→B `StreamOpen`: a request's head. */
  streamOpen: 0x30,
  /** B→R `StreamHead`: a response's head. */
  streamHead: 0x31,
  /** Both ways, bytes: a piece of a body. */
  streamData: 0x32,
  /** Both ways, empty: end of the body. */
  streamEnd: 0x33,
  /** Both ways `StreamCancel`: the sender no longer wants the rest. */
  streamCancel: 0x34,
  /** Both ways, bytes: u64, how many bytes of the body may be sent in total. */
  streamCredit: 0x35,

  // Pty host: stream is the terminal's handle where there is one.
  /** B→H `HostHello`. */
  hostHello: 0x50,
  /** H→B `HostWelcome`, then one `terminalState` for each terminal, then `caughtUp`. */
  hostWelcome: 0x51,
  /** H→B `TerminalState`: the state of one terminal, after a welcome or a spawn. */
  terminalState: 0x52,
  /** B→H `Spawn`. */
  spawn: 0x53,
  /** H→B `Failed`: a request failed. */
  failed: 0x54,
  /** B→H, bytes: input to write to the terminal. */
  input: 0x55,
  /** B→H `Resize`. */
  resize: 0x56,
  /** B→H `Signal`. */
  signal: 0x57,
  /** B→H `Read`: requests bytes from an offset on, up to the credit. */
  read: 0x58,
  /** B→H, bytes: u64, the new offset up to which bytes may be sent. Renews the lease of a pause. */
  credit: 0x59,
  /** B→H, empty: stops sending bytes of this terminal. */
  unread: 0x5a,
  /** H→B `Gap`: bytes that a reader wanted are no longer in the buffer. */
  gap: 0x5b,
  /** B→H `Fetch`: requests a copy of the retained bytes, answered by `chunk`s. */
  fetch: 0x5c,
  /** H→B, bytes: request, end mark, offset and body (output.ts); stream is the terminal. */
  chunk: 0x5d,
  /** H→B `Activity`: the terminal had output or input. At most a few per second and terminal. */
  activity: 0x5e,
  /** H→B `Exited`: after the last byte was read from the PTY. */
  exited: 0x5f,
  /** B→H `SetMeta`: the bridge's metadata of this terminal, kept for the next bridge. */
  setMeta: 0x60,
  /** B→H, bytes: the bridge's own state, kept for the next bridge. */
  setState: 0x61,
  /** B→H, empty: ends all terminals, then the host. */
  shutdown: 0x62,
  /** B→H, empty: drops a finished terminal now. */
  forget: 0x63,
  /** B→H `ScreenRequest`: requests what a screen of this terminal needs beside its bytes. */
  screenAsk: 0x64,
  /** H→B `ScreenState`: the answer, after a `checkpoint` if one was requested and exists. */
  screenState: 0x65,
  /** Both ways, bytes: a screen as it was at an offset (host.ts), kept for the next bridge. */
  checkpoint: 0x66,
  /** H→B `Query`: the program queried the terminal. Sent again to a new bridge. */
  query: 0x67,
  /** B→H, bytes: u64, the offset up to which queries are answered, then the input to write. */
  answer: 0x68,
  /** H→B `Title`: the program changed its title. At most two per second and terminal. */
  title: 0x69,
} as const;
