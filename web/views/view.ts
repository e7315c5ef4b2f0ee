// Owns what a view is: what a tab shows. Each kind is a folder that exports a `ViewKind`, and a row
// of kinds.ts; the union of all views follows from those rows. Types alone.

import type { VNode } from "preact";
import type { Command } from "../commands/command.ts";
import type { KINDS } from "../kinds.ts";
import type { Acting } from "../session/session.ts";
import type { Store } from "../session/store.ts";

export type Kinds = typeof KINDS;

type ViewOf<K> = K extends ViewKind<infer V> ? V : never;

/** Told apart by `kind`. */
export type View = ViewOf<Kinds[keyof Kinds]>;

/** What a kind of view brings. What reads the store does so for whoever renders with it. */
export interface ViewKind<V extends { readonly kind: string }> {
  /** One for each view of the page, whatever its kind; a part of ids in the document. */
  key(view: V): string;
  /** Those that there are, in the order of their tabs; undefined until that is known. */
  list(store: Store): readonly V[] | undefined;
  face(store: Store, view: V): Face;
  /** Its place on the page, made when it is first shown and kept. */
  Body(this: void, props: { view: V; active: boolean }): VNode;
  /** Asks first when something would end by it. */
  close(session: Acting, view: V): void;
  /** Names it, where it can be named. */
  readonly rename?: Command;
  /** Makes a new one. */
  readonly open: Command;
  /** Beside those of every view. */
  readonly commands: readonly Command[];
  /** What it has to say whichever view is in use. */
  Notices?(this: void): VNode;
  /** Loads what will be needed, before anybody waits for it. */
  preload?(): Promise<unknown>;
}

/** What the page around a view shows of it. */
export interface Face {
  /** On its tab. */
  readonly label: string;
  /** Beside the label, where there is room: the folder. */
  readonly hint?: string;
  /** Where its tab stands, if not among people's. */
  readonly section?: "agents";
  /** Tells it from all others; the label alone may not. */
  readonly name: string;
  /** Alt and this goes to it. */
  readonly number: number | undefined;
  /** More about it, a line each. */
  readonly details: readonly string[];
  readonly chips: readonly Chip[];
  readonly ended: boolean;
  /** What closing it is called; undefined where this link may not. */
  readonly closing: string | undefined;
}

/** Of what is gone. */
export const NO_FACE: Face = {
  label: "",
  name: "",
  number: undefined,
  details: [],
  chips: [],
  ended: false,
  closing: undefined,
};

export interface Chip {
  readonly text: string;
  readonly tone: "good" | "bad" | "";
}
