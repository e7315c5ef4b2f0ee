// Owns one terminal's place in its stream: applies the resume rules to a screen and acks what it
// rendered. Does not know the socket, nor what a screen is made of.

import type { PtyAttached, PtyOutput, PtyRequest, PtyResized } from "../../protocol/pty.ts";
import { Acks } from "./acks.ts";
import type { Position, Step } from "./resume.ts";
import { NOTHING, onAttached, onBridge, onCut, onOutput } from "./resume.ts";

export interface Screen {
  /** A clean screen of this text; its queries are of the past and must not be answered. */
  replay(text: string, rendered: () => void): void;
  write(text: string, rendered: () => void): void;
  /** The size that whatever comes next is laid out for. */
  layout(cols: number, rows: number): void;
  /** The process has ended; nothing more is written. */
  end(): void;
}

export class Attachment {
  readonly #id: string;
  readonly #screen: Screen;
  readonly #send: (request: PtyRequest) => boolean;
  readonly #acks: Acks;
  #position: Position = NOTHING;
  /** Counts clean screens: what was still being rendered for an older one is not acked. */
  #screens = 0;

  constructor(id: string, screen: Screen, send: (request: PtyRequest) => boolean) {
    this.#id = id;
    this.#screen = screen;
    this.#send = send;
    this.#acks = new Acks((offset) => send({ type: "pty:ack", id, offset }));
  }

  /** On opening, and whenever the bridge has shown up: a request may have come while it was away. */
  onBridge(): void {
    this.#apply(onBridge(this.#position));
  }

  onCut(): void {
    this.#position = onCut(this.#position);
  }

  onAttached(message: PtyAttached): void {
    this.#screen.layout(message.cols, message.rows);
    const step = onAttached(this.#position, message);
    if (step.render?.fresh) {
      this.#screens += 1;
      this.#acks.restart(message.offset);
    }
    this.#apply(step);
  }

  onOutput(message: PtyOutput): void {
    this.#apply(onOutput(this.#position, message));
  }

  onResized(message: PtyResized): void {
    this.#screen.layout(message.cols, message.rows);
  }

  onExit(): void {
    this.#screen.end();
  }

  dispose(): void {
    this.#acks.dispose();
    this.#send({ type: "pty:detach", id: this.#id });
  }

  #apply(step: Step): void {
    this.#position = step.position;
    const { have } = step.position;
    if (step.attach) {
      const from = have ? { epoch: have.epoch, offset: have.next } : {};
      this.#send({ type: "pty:attach", id: this.#id, ...from });
    }
    if (!step.render || !have) return;
    const screen = this.#screens;
    const rendered = (): void => {
      if (screen === this.#screens) this.#acks.rendered(have.next);
    };
    if (step.render.fresh) this.#screen.replay(step.render.text, rendered);
    else this.#screen.write(step.render.text, rendered);
  }
}
