// Owns when the bridge is told what came in. Not at once: while a link has messages waiting, the
// runtime reads on and looks at no other socket, for seconds if need be (measured: the acks of 50
// viewers, and keystrokes, came after the flood). A timer fires only after it has looked. The bridge
// sends no more than its window before a mark, so everybody is heard once in each window.

import type { Channel } from "./channel.ts";
import type { Link } from "./link.ts";

export class Marks {
  #due = new Set<Channel>();

  due(link: Link, channel: Channel): void {
    if (this.#due.size === 0) setTimeout(() => this.#tell(link), 0);
    this.#due.add(channel);
  }

  /** A link that has ended meanwhile swallows it. */
  #tell(link: Link): void {
    const due = this.#due;
    this.#due = new Set();
    link.together(() => {
      for (const channel of due) channel.mark(link);
    });
  }
}
