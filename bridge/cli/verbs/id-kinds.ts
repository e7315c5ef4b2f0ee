// Owns what a verb may take the id of.

export const ID_KINDS = ["grants", "terminals", "approvals", "rules"] as const;
export type IdKind = (typeof ID_KINDS)[number];
