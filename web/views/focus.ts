// Owns finding out that no element has the focus, so that what is typed would go nowhere.

export function isFocusNowhere(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || !activeElement.isConnected;
}
