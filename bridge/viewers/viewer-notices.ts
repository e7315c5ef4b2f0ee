// Owns the notices to viewers of a terminal: the driver, the number of viewers and the basis of the
// size. Each room gets them in its renditions' messages.

import type { PtyDriver } from "../../protocol/pty.ts";
import { linkName } from "../../protocol/names.ts";
import { callerDisplayName } from "../callers/caller.ts";
import { sendToPeers } from "../channels/peer-messages.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { DriverControl } from "./driver-control.ts";
import type { TerminalSource, MessagesByRendition } from "./viewer-ports.ts";
import type { PeerRoom, Peer, PeerTable } from "./peer-table.ts";

export interface ViewerNoticesDeps {
  readonly source: Pick<TerminalSource, "get">;
  readonly peers: Pick<PeerTable, "get" | "listAttachedTo">;
  readonly homes: () => Iterable<PeerRoom>;
  readonly messages: MessagesByRendition;
  readonly getSizers: DriverControl["getSizers"];
}

export class ViewerNotices {
  readonly #deps: ViewerNoticesDeps;

  constructor(deps: ViewerNoticesDeps) {
    this.#deps = deps;
  }

  sendResized({ id, cols, rows }: PoolTerminal): void {
    const { source, homes, messages } = this.#deps;
    const terminal = source.get(id);
    if (terminal === undefined) return;
    for (const { channels } of homes()) {
      for (const { channel, rendition } of channels.listForTerminal(terminal)) {
        const message = messages(rendition).resized(id, cols, rows);
        if (message !== undefined) channel.event(message);
      }
    }
  }

  driverChanged({ id }: PoolTerminal, driver: Peer | undefined, viewers: number): void {
    const { peers, homes, messages } = this.#deps;
    const grant = driver?.caller.grant();
    const name = driver?.caller.status?.name;
    const driverMessage = {
      id,
      driver: driver?.number ?? null,
      ...(grant === undefined ? {} : { label: linkName(grant) }),
      ...(name === undefined ? {} : { name }),
      viewers,
      ...this.#toSizeField(id),
    };
    const attached = peers.listAttachedTo(id);
    for (const home of homes()) {
      const here = attached.filter((peer) => peer.home === home);
      for (const [message, group] of groupBy(here, (peer) =>
        messages(peer.attached.get(id)?.rendition ?? peer.rendition).driver(driverMessage),
      )) {
        sendToPeers(home, group, message);
      }
    }
  }

  /** Returns the basis of the size, for viewers whose window does not match. */
  #toSizeField(id: string): Pick<PtyDriver, "size"> {
    const { source, peers, getSizers } = this.#deps;
    const terminal = source.get(id);
    if (terminal === undefined) return {};
    if (terminal.meta.pinned !== undefined) return { size: { of: "pinned" } };
    const people = getSizers(terminal).flatMap((peer) => {
      const caller = peers.get(peer)?.caller;
      return caller === undefined ? [] : { peer, called: callerDisplayName(caller) };
    });
    if (people.length === 0) return {};
    return { size: { of: people.length > 1 ? "turns" : "one", people } };
  }
}

function groupBy<T, K>(all: readonly T[], getKey: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const key = getKey(one);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}
