// A host and a page with a sealed link, without sockets: what one sends is given to the other.

import type { AnsweredHello } from "../../bridge/sealed/host-handshake.ts";
import { answerHello, openConfirm } from "../../bridge/sealed/host-handshake.ts";
import { createSealedLink } from "../../bridge/sealed/new-link.ts";
import { generateKeyPair } from "../../bridge/sealed/node-crypto.ts";
import { decodeFrames } from "../../protocol/frame.ts";
import type { SealedLink } from "../../protocol/sealed/link.ts";
import { parseSealedLink } from "../../protocol/sealed/link.ts";
import type { RecordKind } from "../../protocol/sealed/record.ts";
import { toText } from "../../protocol/text.ts";
import { startHandshake } from "../../web/sealed/page-handshake.ts";
import { PageSession } from "../../web/sealed/page-session.ts";

export const ORIGIN = "https://relay.example.com";
export const WORKSPACE = "calm-otter";
export const GRANT = "abcdefghij";
export const SECRET = "S".repeat(32);
export const READY = { v: 1, role: "edit", caps: [] };

/** A host with one link. */
export function sealedHost(workspace = WORKSPACE, origin = ORIGIN) {
  const hostKey = generateKeyPair();
  const request = { id: GRANT, secret: SECRET, workspace, hostKey: hostKey.publicKey };
  const made = createSealedLink(request);
  const parsed = parseSealedLink(made.fragment);
  if (!parsed.ok) throw new Error(parsed.message);
  const deps = { hostKey, psk: made.psk, workspace, origins: [origin], id: GRANT };
  return { deps, link: parsed.link, ...made };
}

export async function startPage(link: SealedLink) {
  return await startHandshake({ link, workspace: WORKSPACE, origin: ORIGIN }, { v: 1 });
}

/** Returns the payload of the one frame in a message. */
export function framePayload(message: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { frames } = decodeFrames(message);
  return new Uint8Array(frames[0]?.payload ?? []);
}

export interface Received {
  readonly kind: RecordKind;
  readonly text: string;
}

/** Opens the page's session. `sent` are the texts that the page sent, `confirm` first. */
export async function openPage(
  page: Awaited<ReturnType<typeof startPage>>,
  answer: Pick<AnsweredHello, "ready">,
) {
  const finished = await page.finish(framePayload(answer.ready));
  const sent: string[] = [];
  const received: Received[] = [];
  const faults: unknown[] = [];
  let onSent = (): void => undefined;
  const session = await PageSession.open(finished.keys, {
    send: (text) => {
      sent.push(text);
      onSent();
    },
    receive: (kind, data) => void received.push({ kind, text: toText(data) }),
    onFault: (error) => void faults.push(error),
  });
  /** Resolves when the page has sent this many messages. */
  const whenSent = async (count: number) => {
    while (sent.length < count) {
      // oxlint-disable-next-line no-await-in-loop
      await new Promise<void>((resolve) => {
        onSent = resolve;
      });
    }
  };
  return { session, sent, received, faults, whenSent, keys: finished.keys, ready: finished.ready };
}

/** A host and a page that have shaken hands. */
export async function sealedPair() {
  const host = sealedHost();
  const handshake = await startPage(host.link);
  const answer = answerHello(host.deps, handshake.hello, READY);
  const page = await openPage(handshake, answer);
  await page.whenSent(1);
  openConfirm(answer.session, page.sent[0] ?? "");
  return { ...host, handshake, answer, host: answer.session, page };
}

/** Changes one bit. */
export function flipBit<T extends Uint8Array>(bytes: T, bit: number): T {
  const at = (bit >> 3) % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
  return bytes;
}
