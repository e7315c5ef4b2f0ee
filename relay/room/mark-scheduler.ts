// Owns when marks are sent to the bridge. Not immediately: while a link has messages waiting, the
// runtime keeps reading them and ignores all other sockets, for seconds if need be (measured: the
// acks of 50 viewers, and keystrokes, came after the flood). A timer fires only after the runtime
// has looked at the other sockets. The bridge sends at most its window without a mark, so every
// socket gets its turn once per window.

import type { Channel } from "./channel.ts";
import type { Link } from "./link.ts";

export class MarkScheduler {
  #due = new Set<Channel>();

  schedule(link: Link, channel: Channel): void {
    if (this.#due.size === 0) setTimeout(() => this.#send(link), 0);
    this.#due.add(channel);
  }

  /** Sends the due marks. On a link that has ended meanwhile this does nothing. */
  #send(link: Link): void {
    const due = this.#due;
    this.#due = new Set();
    link.batch(() => {
      for (const channel of due) channel.mark(link);
    });
  }
}
