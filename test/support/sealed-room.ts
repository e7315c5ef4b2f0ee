// Owns the stand-in for a sealed room: beside fake-room.ts, it does the host's side of handshakes,
// records and output, and can forge whatever a relay could.

import type { WebSocket } from "ws";
import { ChannelSealer } from "../../bridge/sealed/channel-sealer.ts";
import type { HandshakeDeps } from "../../bridge/sealed/host-handshake.ts";
import { answerHello, openConfirm, openRecordText } from "../../bridge/sealed/host-handshake.ts";
import type { HostSession } from "../../bridge/sealed/host-session.ts";
import { encodeOutputFrame } from "../../protocol/output.ts";
import type { PtyAttached } from "../../protocol/pty.ts";
import { encodeAgainFrame, encodeRecordFrame } from "../../protocol/sealed/messages.ts";
import type { ChannelKey } from "../../protocol/sealed/messages.ts";
import { RecordKind } from "../../protocol/sealed/record.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import type { PageMessage } from "../../web/session/messages.ts";
import { FakePeer, FakeRoom, openAddress, TERMINAL } from "./fake-room.ts";
import { READY, sealedHost } from "./sealed-pair.ts";

/** One page's socket, with the host behind it. */
export class SealedPeer extends FakePeer {
  readonly #host: HandshakeDeps;
  /** Of this socket: sessions that the page has confirmed. */
  handshakes = 0;
  /** What the page sent, as a relay sees it. */
  readonly texts: string[] = [];
  /** Whether hellos are left without an answer. */
  isSilent = false;
  #answered: HostSession | undefined;
  session: HostSession | undefined;
  /** By channel. */
  readonly sealers = new Map<number, ChannelSealer>();

  constructor(number: number, socket: WebSocket, host: HandshakeDeps) {
    super(number, socket);
    this.#host = host;
  }

  protected override receive(text: string): void {
    this.texts.push(text);
    if (text.startsWith("{")) return super.receive(text);
    if (text.startsWith("E")) return this.#answer(text);
    if (this.session !== undefined)
      return super.receive(toText(openRecordText(this.session, text)));
    if (this.#answered === undefined) return undefined;
    openConfirm(this.#answered, text);
    this.session = this.#answered;
    this.#answered = undefined;
    this.handshakes += 1;
    return undefined;
  }

  #answer(text: string): void {
    if (this.isSilent) return;
    const { ready, session } = answerHello(this.#host, text, READY);
    this.#answered = session;
    this.session = undefined;
    this.socket.send(ready);
  }

  /** Resolves when the page has confirmed its n-th handshake on this socket. */
  async shaken(n = 1): Promise<void> {
    await this.until(`handshake ${n}`, () => this.handshakes >= n);
  }

  override say(message: PageMessage): void {
    this.record(RecordKind.text, toBytes(JSON.stringify(message)));
  }

  record(kind: RecordKind, data: Uint8Array<ArrayBuffer>): void {
    if (this.session === undefined) throw new Error("the page has no session");
    this.socket.send(encodeRecordFrame(kind, this.session.seal(kind, data)));
  }

  sealer(channel = 1): ChannelSealer {
    const sealer = this.sealers.get(channel) ?? new ChannelSealer(channel);
    this.sealers.set(channel, sealer);
    return sealer;
  }

  override attached(part: Partial<PtyAttached> = {}): void {
    const withKey = { ...part, key: this.sealer(part.channel).current() };
    super.attached(withKey);
  }

  protected override output(channel: number, offset: number, span: number, body: Uint8Array): void {
    this.socket.send(this.sealer(channel).sealFrame(offset, span, body));
  }

  /** Sends output for this page alone. */
  backlog(offset: number, text: string, channel = 1): void {
    const body = toBytes(text);
    this.record(
      RecordKind.output,
      new Uint8Array(encodeOutputFrame(channel, offset, body.length, body)),
    );
  }

  /** Changes a channel's key, and gives it to the page. */
  rekey(channel = 1): void {
    this.giveKey(this.sealer(channel).rekey(), channel);
  }

  giveKey(key: ChannelKey, channel = 1): void {
    const message = { type: "pty:key", id: TERMINAL.id, channel, ...key };
    this.record(RecordKind.text, toBytes(JSON.stringify(message)));
  }

  /** Ends the session and asks for another handshake. */
  again(): void {
    this.session = undefined;
    this.socket.send(encodeAgainFrame());
  }

  /** Sends what a relay could send by itself. */
  forge(data: string | Uint8Array): void {
    this.socket.send(data);
  }

  closeWith(code: number, reason: string): void {
    this.socket.close(code, reason);
  }
}

/** A sealed room, and the secret part of its link. */
export async function openSealedRoom() {
  const address = await openAddress();
  const host = sealedHost("fake", `http://127.0.0.1:${address.port}`);
  const room = new FakeRoom(address, (number, socket) => new SealedPeer(number, socket, host.deps));
  /** The first page, with TERMINAL on its screen. */
  const arrive = async (): Promise<SealedPeer> => {
    const peer = await room.peer(1);
    await greet(peer);
    return peer;
  };
  return { room, host, word: host.fragment, link: room.link(undefined, "", host.fragment), arrive };
}

/** Greets a page whose handshake is done, and shows it TERMINAL. */
async function greet(peer: SealedPeer, snapshot = "$ "): Promise<void> {
  await peer.shaken();
  peer.say({ type: "room:welcome", folder: "project" });
  peer.welcome("edit", [TERMINAL]);
  await peer.request("pty:attach");
  peer.attached({ snapshot, next: snapshot.length });
  await peer.request("pty:view");
}
