// Owns one terminal's position in its stream: applies the resume rules to a screen and acks what it
// rendered. Does not know the socket or how a screen draws.

import type { Output } from "../../protocol/output.ts";
import type { PtyAttached, PtyEventOf } from "../../protocol/pty.ts";
import type { PtyRequest } from "../../protocol/pty-requests.ts";
import type { Acks } from "./acks.ts";
import type { Position, Step } from "./resume.ts";
import { UNATTACHED, onAttached, onBridge, onCut, onOutput } from "./resume.ts";

export interface Screen {
  /** Clears the screen and writes old output, whose queries must not be answered again. */
  replay(bytes: Uint8Array, rendered: () => void): void;
  write(bytes: Uint8Array, rendered: () => void): void;
  /** Sets the size for the output that follows. */
  layout(cols: number, rows: number): void;
  /** Reports this viewer's available size to the bridge, which needs it after each attach. */
  reportSize(): void;
  /** Shows that the process has ended; no more output follows. */
  end(): void;
  /** Shows that the room does not have the terminal, or no longer. */
  missing?(): void;
}

export class Attachment {
  readonly id: string;
  readonly #screen: Screen;
  readonly #send: (request: PtyRequest) => boolean;
  readonly #acks: Acks;
  #position: Position = UNATTACHED;
  #channel: number | undefined;
  /** Counts cleared screens: pending renders of an older screen are not acked. */
  #screens = 0;
  #ended = false;

  constructor(id: string, screen: Screen, acks: Acks, send: (request: PtyRequest) => boolean) {
    this.id = id;
    this.#screen = screen;
    this.#acks = acks;
    this.#send = send;
  }

  /** Returns the channel of its output frames on this socket; undefined until attached. */
  get channel(): number | undefined {
    return this.#channel;
  }

  /** Attaches, on opening and whenever a bridge connects, since it may have missed a request. */
  onBridge(): void {
    // The exit is the last message, so there is nothing to resume.
    if (!this.#ended) this.#apply(onBridge(this.#position));
  }

  /** Attaches again, unless that is under way: output or events are missing. */
  onGap(): void {
    if (this.#position.state === "live") this.onBridge();
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
    } else this.#acks.resend(this.id);
    this.#apply(step);
    this.#screen.reportSize();
  }

  onOutput(output: Output): void {
    this.#apply(onOutput(this.#position, output));
  }

  onResized(message: PtyEventOf<"pty:resized">): void {
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
      if (screen === this.#screens) this.#acks.onRendered(this.id, have.next);
    };
    if (step.render.fresh) this.#screen.replay(step.render.bytes, rendered);
    else this.#screen.write(step.render.bytes, rendered);
  }
}
