// Owns detecting that no element has the focus, so that keystrokes would go nowhere.

export function isFocusLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || !activeElement.isConnected;
}
