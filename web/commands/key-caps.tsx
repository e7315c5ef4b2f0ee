// Owns drawing keys as key caps.

import { capsOf } from "./keys.ts";

export function Keys({ of }: { of: string }) {
  return (
    <span class="key-caps">
      {capsOf(of).map((cap) => (
        <kbd key={cap}>{cap}</kbd>
      ))}
    </span>
  );
}
