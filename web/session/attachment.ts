// Owns one terminal's place in its stream: applies the resume rules to a screen and says what it
// rendered. Does not know the socket, nor what a screen is made of.

import type { Output } from "../../protocol/output.ts";
import type { PtyAttached, PtyRequest, PtyResized } from "../../protocol/pty.ts";
import type { Acks } from "./acks.ts";
import type { Position, Step } from "./resume.ts";
import { NOTHING, onAttached, onBridge, onCut, onOutput } from "./resume.ts";

export interface Screen {
  /** A clean screen of this; what it asks for is of the past. */
  replay(bytes: Uint8Array, rendered: () => void): void;
  write(bytes: Uint8Array, rendered: () => void): void;
  /** The size that whatever comes next is laid out for. */
  layout(cols: number, rows: number): void;
  /** Attached, each time: the bridge wants to hear what this viewer has room for. */
  seated(): void;
  /** The process has ended; nothing more is written. */
  end(): void;
  /** The room does not have it, or no longer. */
  missing?(): void;
}

export class Attachment {
  readonly id: string;
  readonly #screen: Screen;
  readonly #send: (request: PtyRequest) => boolean;
  readonly #acks: Acks;
  #position: Position = NOTHING;
  #channel: number | undefined;
  /** Counts clean screens: what was still being rendered for an older one is not acked. */
  #screens = 0;
  #ended = false;

  constructor(id: string, screen: Screen, acks: Acks, send: (request: PtyRequest) => boolean) {
    this.id = id;
    this.#screen = screen;
    this.#acks = acks;
    this.#send = send;
  }

  /** What its output frames carry on this socket; undefined until attached. */
  get channel(): number | undefined {
    return this.#channel;
  }

  /** On opening, and whenever the bridge has shown up: a request may have come while it was away. */
  onBridge(): void {
    // The end came behind everything else: there is nothing to go on with.
    if (!this.#ended) this.#apply(onBridge(this.#position));
  }

  onCut(): void {
    this.#channel = undefined;
    this.#position = onCut(this.#position);
  }

  onAttached(message: PtyAttached): void {
    this.#channel = message.channel;
    this.#screen.layout(message.cols, message.rows);
    const step = onAttached(this.#position, message);
    if (step.render?.fresh) {
      this.#screens += 1;
      this.#acks.restart(this.id, message.offset);
    } else this.#acks.renew(this.id);
    this.#apply(step);
    this.#screen.seated();
  }

  onOutput(output: Output): void {
    this.#apply(onOutput(this.#position, output));
  }

  onResized(message: PtyResized): void {
    this.#screen.layout(message.cols, message.rows);
  }

  onExit(): void {
    this.#ended = true;
    this.#screen.end();
  }

  onMissing(): void {
    this.#screen.missing?.();
  }

  dispose(): void {
    this.#acks.forget(this.id);
    this.#send({ type: "pty:detach", id: this.id });
  }

  #apply(step: Step): void {
    this.#position = step.position;
    const { have } = step.position;
    if (step.attach) {
      const from = have ? { epoch: have.epoch, offset: have.next } : {};
      this.#send({ type: "pty:attach", id: this.id, ...from });
    }
    if (!step.render || !have) return;
    const screen = this.#screens;
    const rendered = (): void => {
      if (screen === this.#screens) this.#acks.rendered(this.id, have.next);
    };
    if (step.render.fresh) this.#screen.replay(step.render.bytes, rendered);
    else this.#screen.write(step.render.bytes, rendered);
  }
}
