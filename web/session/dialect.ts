// Owns what a dialect is to the page: what it hears, what it may say, and what it does when the bridge
// or the socket is gone. Which there are is dialects.ts.

import type { Keeping } from "./device.ts";
import type { Store } from "./store.ts";

/** What the page lends to a dialect that says `Says`. */
export interface Speaking<Says> {
  readonly store: Store;
  /** Whether it left; false means it is lost, and meant to be. */
  readonly send: (message: Says) => boolean;
  readonly sendBytes: (bytes: Uint8Array<ArrayBuffer>) => boolean;
  /** What this browser keeps beyond a tab. */
  readonly kept: Keeping;
}

/** One for each type; a new one in the protocol is missing here until it is handled. */
export type HandlersOf<M extends { type: string }> = {
  readonly [One in M as One["type"]]: (message: One) => void;
};

/** A dialect that hears `Hears`, opened for one visit. */
export interface PageDialect<Hears extends { type: string }> {
  readonly handlers: HandlersOf<Hears>;
  /** No bridge can be reached: it is away, or the socket is. */
  onAway?(): void;
  /** The socket is gone: what was told of it holds no longer. */
  onCut?(): void;
  dispose?(): void;
}

/** By its type alone: the room is where this page came from, and the schemas would double it. */
interface Handler {
  handle(message: { readonly type: string }): void;
}

/** Handlers by type, whatever they take. */
export type Handling = Readonly<Record<string, Handler["handle"]>>;

type Opened = Omit<PageDialect<never>, "handlers"> & { readonly handlers: Handling };

/** How each is opened, by its name. */
export type Rows<Says> = Readonly<Record<string, (speaking: Speaking<Says>) => Opened>>;

/** What a table's dialects say between them. */
export type SaysOf<Table> = {
  [Name in keyof Table]: Table[Name] extends (speaking: Speaking<infer Says>) => unknown
    ? Says
    : never;
}[keyof Table];

/** What they hear. */
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

  /** A dialect that throws is reported as an uncaught error of its own; the others notice nothing. */
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
