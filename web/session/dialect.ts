// Owns what a dialect is in the page: the messages it handles, those it may send, and its reaction
// to losing the bridge or the socket. dialects.ts lists them.

import type { BrowserStorage } from "./device.ts";
import type { Store } from "./store.ts";

/** Services of the page for a dialect that sends messages of type `Says`. */
export interface DialectDeps<Says> {
  readonly store: Store;
  /** Sends a message; returns false if it was lost, since nothing is queued. */
  readonly send: (message: Says) => boolean;
  readonly sendBytes: (bytes: Uint8Array<ArrayBuffer>) => boolean;
  /** The browser's storage beyond a tab. */
  readonly storage: BrowserStorage;
}

/** One handler per message type; the compiler reports a new type until it is handled. */
export type HandlersFor<M extends { type: string }> = {
  readonly [One in M as One["type"]]: (message: One) => void;
};

/** A dialect that receives messages of type `Hears`, opened for one visit. */
export interface PageDialect<Hears extends { type: string }> {
  readonly handlers: HandlersFor<Hears>;
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
export type MessageHandlers = Readonly<Record<string, Handler["handle"]>>;

type OpenDialect = Omit<PageDialect<never>, "handlers"> & { readonly handlers: MessageHandlers };

/** Creates each dialect, by its name. */
export type DialectTable<Says> = Readonly<Record<string, (deps: DialectDeps<Says>) => OpenDialect>>;

/** All messages that a table's dialects send. */
export type SentBy<Table> = {
  [Name in keyof Table]: Table[Name] extends (deps: DialectDeps<infer Says>) => unknown
    ? Says
    : never;
}[keyof Table];

/** All messages that a table's dialects receive. */
export type ReceivedBy<Table> = {
  [Name in keyof Table]: Table[Name] extends (deps: never) => { readonly handlers: infer All }
    ? HandledBy<All>
    : never;
}[keyof Table];

type HandledBy<All> = {
  [Type in keyof All]: All[Type] extends (message: infer M) => void ? M : never;
}[keyof All];

/** All dialects of a visit, as one. */
export class DialectGroup {
  readonly handlers: MessageHandlers;
  readonly #all: readonly OpenDialect[];

  constructor(all: readonly OpenDialect[]) {
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
  #each(act: (one: OpenDialect) => void): void {
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

type OpenDialects<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (deps: never) => infer One ? One : never;
};

/** Opens each dialect of a table, by its name. */
export function openDialects<Says, Table extends DialectTable<Says>>(
  table: Table,
  deps: DialectDeps<Says>,
): OpenDialects<Table> {
  const opened = Object.entries(table).map(([name, open]) => [name, open(deps)]);
  return Object.fromEntries(opened);
}
