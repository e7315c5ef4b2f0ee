// Owns the order of tabs that a person made on this page. Pure. Tabs that were never moved come
// last, in their usual order.

const MAX_KEPT = 200;

export function sortByOrder<V>(
  views: readonly V[],
  order: readonly string[],
  getKey: (view: V) => string,
): readonly V[] {
  if (order.length === 0) return views;
  const place = new Map(order.map((key, at) => [key, at]));
  const at = (view: V): number => place.get(getKey(view)) ?? order.length;
  return views.toSorted((a, b) => at(a) - at(b));
}

/** Moves `key` right before `before`, or to the end; returns all keys. */
export function moveBefore(
  keys: readonly string[],
  key: string,
  before: string | undefined,
): readonly string[] {
  if (key === before || !keys.includes(key)) return keys;
  const rest = keys.filter((one) => one !== key);
  const at = before === undefined ? -1 : rest.indexOf(before);
  return (at === -1 ? [...rest, key] : rest.toSpliced(at, 0, key)).slice(-MAX_KEPT);
}

/** Moves `key` one position on or back; at an end it stays. */
export function moveBy(keys: readonly string[], key: string, by: 1 | -1): readonly string[] {
  const at = keys.indexOf(key);
  const to = at + by;
  if (at === -1 || to < 0 || to >= keys.length) return keys;
  return keys.toSpliced(at, 1).toSpliced(to, 0, key);
}
