// Owns what a view is: what a tab shows, and the ids of its elements. Each kind is a folder that
// exports a `ViewKind`, and a row of kinds.ts; the union of all views follows from those rows.

import type { VNode } from "preact";
import type { Command } from "../commands/command.ts";
import type { KINDS } from "../kinds.ts";
import type { SessionActions } from "../session/session.ts";
import type { Store } from "../session/store.ts";

export type Kinds = typeof KINDS;

type ViewOf<K> = K extends ViewKind<infer V> ? V : never;

/** Discriminated by `kind`. */
export type View = ViewOf<Kinds[keyof Kinds]>;

/**
 * What a kind of view provides. Functions that read the store subscribe the rendering component.
 */
export interface ViewKind<V extends { readonly kind: string }> {
  /** Returns a key that is unique on the page; it is part of element ids. */
  key(view: V): string;
  /** Returns the views of this kind in the order of their tabs; undefined until that is known. */
  list(store: Store): readonly V[] | undefined;
  summarize(store: Store, view: V): ViewSummary;
  /** Renders the view; created when it is first shown, and kept. */
  Body(this: void, props: { view: V; active: boolean }): VNode;
  /** Closes the view, after a confirmation if something ends with it. */
  close(session: SessionActions, view: V): void;
  /** Renames a view, where that is possible. */
  readonly rename?: Command;
  /** Opens a new view. */
  readonly open: Command;
  /** Commands in addition to those of all views. */
  readonly commands: readonly Command[];
  /** Renders notices that show whichever view is current. */
  Notices?(this: void): VNode;
  /** Loads code that will be needed later. */
  preload?(): Promise<unknown>;
}

/** What the page around a view shows about it. */
export interface ViewSummary {
  /** Shown on the tab. */
  readonly label: string;
  /** Shown beside the label if there is space: the folder. */
  readonly hint?: string;
  /** The section of its tab, if not the people's one. */
  readonly section?: "agents";
  /** Unique among all views, which the label may not be. */
  readonly name: string;
  /** Alt and this digit go to the view. */
  readonly number: number | undefined;
  /** Further facts, one per line. */
  readonly details: readonly string[];
  readonly chips: readonly Chip[];
  readonly ended: boolean;
  /** The label of its close action; undefined if this link may not close it. */
  readonly closing: string | undefined;
}

/** Shown for a view that no longer exists. */
export const EMPTY_SUMMARY: ViewSummary = {
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

// Owns the ids of a view's elements, by its key: a tab and its panel reference each other. Also
// owns detecting that no element has the focus, so that keystrokes would go nowhere.

export function toTabId(key: string): string {
  return `tab-${key}`;
}

export function toPanelId(key: string): string {
  return `panel-${key}`;
}

export function isFocusLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || !activeElement.isConnected;
}
