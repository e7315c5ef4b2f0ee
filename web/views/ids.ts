// Owns the ids of a view's elements, by its key: a tab and its panel reference each other.

export function toTabId(key: string): string {
  return `tab-${key}`;
}

export function toPanelId(key: string): string {
  return `panel-${key}`;
}
