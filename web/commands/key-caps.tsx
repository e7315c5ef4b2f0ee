// Owns drawing keys as key caps.

import { toKeyCaps } from "./keys.ts";

export function Keys({ of }: { of: string }) {
  return (
    <span class="key-caps">
      {toKeyCaps(of).map((cap) => (
        <kbd key={cap}>{cap}</kbd>
      ))}
    </span>
  );
}
