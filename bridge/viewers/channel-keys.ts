// Owns giving viewers the keys of sealed channels, in records: with their attach, again on joining
// if the key or the events changed meanwhile, and when a right to see ended.

import type { ChannelKey } from "../../protocol/sealed/messages.ts";
import { encodePtyKey } from "../../protocol/sealed/messages.ts";
import { canSee } from "../callers/permissions.ts";
import type { OpenChannel } from "../channels/channel-table.ts";
import { sendToPeer } from "../channels/peer-messages.ts";
import type { Attachment, Peer } from "./peer-table.ts";

/** Returns the field `key` of an attach; none for a plain or finished channel. */
export function attachKey(
  { caller }: Pick<Peer, "caller">,
  attachment: Attachment,
  open: OpenChannel | undefined,
): { readonly key?: ChannelKey } {
  if (caller.sealed === undefined || open?.sealing === undefined) return {};
  const key = open.sealing.giveKey(caller.grantId);
  attachment.sentKey = key;
  return { key };
}

/** Sends the key with its current counters, unless the viewer has them: events in between are lost. */
export function sendKeyOnJoin(peer: Peer, attachment: Attachment, open: OpenChannel): void {
  const before = attachment.sentKey;
  const { key } = attachKey(peer, attachment, open);
  if (key === undefined) return;
  if (before?.n !== key.n || before.events !== key.events) sendKey(peer, open, key);
}

/** Sends the new key of a channel to a viewer that may still see it. */
export function sendNewKey(peer: Peer, open: OpenChannel): void {
  const attachment = peer.attached.get(open.terminal.id);
  if (attachment?.channel !== open.number) return;
  const grant = peer.caller.grant();
  if (grant === undefined || !canSee(grant, open.terminal.meta)) return;
  const { key } = attachKey(peer, attachment, open);
  if (key !== undefined) sendKey(peer, open, key);
}

function sendKey(peer: Peer, { terminal, number: channel }: OpenChannel, key: ChannelKey): void {
  sendToPeer(peer, encodePtyKey({ ...key, id: terminal.id, channel }));
}
