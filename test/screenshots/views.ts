// Owns which pictures README and docs have, and how large they are.

export const DESK_SIZE = { width: 1120, height: 660 };
export const PHONE_SIZE = { width: 390, height: 844 };
export const PHONE_SCALE = 2;

export const MAX_BYTES = 150_000;

export const VIEWS = [
  "light",
  "dark",
  "phone",
  "approval",
  "agents",
  "conversation",
  "share",
  "split",
] as const;
export type View = (typeof VIEWS)[number];
