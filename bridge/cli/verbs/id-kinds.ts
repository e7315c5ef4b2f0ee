// Owns the kinds of ids that commands take.

export const ID_KINDS = ["grants", "terminals", "approvals", "rules"] as const;
export type IdKind = (typeof ID_KINDS)[number];
