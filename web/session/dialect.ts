// Owns what a dialect is in the page: the messages it handles, those it may send, and its reaction
// to losing the bridge or the socket. dialects.ts lists them.

import type { Keeping } from "./device.ts";
import type { Store } from "./store.ts";

/** What the page provides to a dialect that sends `Says`. */
export interface Speaking<Says> {
  readonly store: Store;
  /** Sends a message; returns false if it was lost, since nothing is queued. */
  readonly send: (message: Says) => boolean;
  readonly sendBytes: (bytes: Uint8Array<ArrayBuffer>) => boolean;
  /** The browser's storage beyond a tab. */
  readonly kept: Keeping;
}

/** One handler per message type; the compiler reports a new type until it is handled. */
export type HandlersOf<M extends { type: string }> = {
  readonly [One in M as One["type"]]: (message: One) => void;
};

/** A dialect that receives `Hears`, opened for one visit. */
export interface PageDialect<Hears extends { type: string }> {
  readonly handlers: HandlersOf<Hears>;
  /** Handles that no bridge can be reached: it is away, or the socket is gone. */
  onAway?(): void;
  /** Handles the loss of the socket, which voids what was received on it. */
  onCut?(): void;
  dispose?(): void;
}

/**
 * Takes a message by its type alone: validating the relay that served this page would double its
 * size.
 */
interface Handler {
  handle(message: { readonly type: string }): void;
}

/** Handlers by message type. */
export type Handling = Readonly<Record<string, Handler["handle"]>>;

type Opened = Omit<PageDialect<never>, "handlers"> & { readonly handlers: Handling };

/** Creates each dialect, by its name. */
export type Rows<Says> = Readonly<Record<string, (speaking: Speaking<Says>) => Opened>>;

/** All messages that a table's dialects send. */
export type SaysOf<Table> = {
  [Name in keyof Table]: Table[Name] extends (speaking: Speaking<infer Says>) => unknown
    ? Says
    : never;
}[keyof Table];

/** All messages that a table's dialects receive. */
export type HearsOf<Table> = {
  [Name in keyof Table]: Table[Name] extends (speaking: never) => { readonly handlers: infer All }
    ? HeardBy<All>
    : never;
}[keyof Table];

type HeardBy<All> = {
  [Type in keyof All]: All[Type] extends (message: infer M) => void ? M : never;
}[keyof All];

/** All dialects of a visit, as one. */
export class Spoken {
  readonly handlers: Handling;
  readonly #all: readonly Opened[];

  constructor(all: readonly Opened[]) {
    this.#all = all;
    this.handlers = Object.assign({}, ...all.map(({ handlers }) => handlers));
  }

  onAway(): void {
    this.#each((one) => one.onAway?.());
  }

  onCut(): void {
    this.#each((one) => one.onCut?.());
    this.onAway();
  }

  dispose(): void {
    this.#each((one) => one.dispose?.());
  }

  /** Calls each dialect. One that throws is reported as uncaught and does not stop the others. */
  #each(act: (one: Opened) => void): void {
    for (const one of this.#all) {
      try {
        act(one);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

type OpenedOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (speaking: never) => infer One ? One : never;
};

/** Opens each dialect of a table, by its name. */
export function openAll<Says, Table extends Rows<Says>>(
  table: Table,
  speaking: Speaking<Says>,
): OpenedOf<Table> {
  const opened = Object.entries(table).map(([name, open]) => [name, open(speaking)]);
  return Object.fromEntries(opened);
}
