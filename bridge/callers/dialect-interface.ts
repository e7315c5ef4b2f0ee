// Owns the shape of a dialect: a set of messages and who may take part in it. The hub calls dialects;
// each one's messages and rules are in bridge/dialects/.

import type { ErrorCode } from "../../protocol/codes.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Caller, DoorName, Sender } from "./caller.ts";
import type { Message } from "./message-parsing.ts";
import type { MessageLimit } from "./message-rate.ts";
import type { Permission } from "./permissions.ts";

/** The callers that take part in a dialect, as the target of its broadcasts. */
export interface Audience {
  /** Sends to the callers for whom `isFor` returns true; to all of them by default. */
  send(message: string, isFor?: (caller: Caller, grant: Grant) => boolean): void;
  hasMembers(): boolean;
}

/**
 * A set of messages for people's sockets and terminal.sock. The rate is bounded before the hub: the
 * room closes a socket that sends more than 100 messages a second, of any type [R36], and sockets
 * of this machine are the user's own. So `message` may do some work each time, but broadcasting,
 * storing or starting something needs its own limit, by person (see people/people-terminals.ts) or by
 * socket (`limit`).
 */
export interface Dialect {
  /** Message types with this prefix belong to the dialect: `pty:`. */
  readonly prefix: string;
  /** Further message types, by full name. */
  readonly types?: readonly string[];
  /**
   * Doors where the dialect is available. The hub refuses its messages at other doors, and reports
   * no callers of those.
   */
  readonly doors: readonly DoorName[];
  /** Right that a caller needs to send and receive the dialect's messages; undefined: none. */
  readonly requires?: Permission;
  /** How often one caller may send the dialect's messages; undefined: no limit of its own. */
  readonly limit?: MessageLimit;
  /** Error text for callers at another door or without that right; says what to do instead. */
  readonly unavailableMessage?: string;
  /** Starts the dialect's own broadcasts on registration. Returns how to stop them. */
  onRegister?(audience: Audience): () => void;
  /**
   * Fires when a caller starts to take part: it connected, or was given the right. Fires again for
   * callers that stayed connected while the link was down.
   */
  onJoin?(caller: Caller): void;
  /** Fires once per joined caller when it disconnects ("gone") or loses the right ("barred"). */
  onLeave?(caller: Caller, why: "gone" | "barred"): void;
  /**
   * Fires when a joined caller gains or loses rights and still takes part. `before` is the previous
   * grant; it may equal the current one, since limiting a View link takes nothing away.
   */
  onRightsChange?(caller: Caller, before: Grant): void;
  /**
   * Handles a message. `sender.grant` was looked up for it and counts until the first await. `text`
   * is the raw JSON, for replies that quote it.
   */
  onMessage(sender: Sender, message: Message, text: string): void | Promise<void>;
  /**
   * Types without side effects (attaching, acks, sizes): accepted however late they arrive. The hub
   * drops any other late message and notifies its sender.
   */
  readonly lateSafeTypes?: readonly string[];
  /**
   * Whether the message widens access. At a socket of this machine it may then need the
   * confirmation code.
   */
  requiresCode?(message: Message): boolean;
  /** Formats an error as a message of this dialect. */
  error(code: ErrorCode, errorText: string, id?: string): string;
}
