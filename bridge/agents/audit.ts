// The audit log's old address, for importers that have not moved to ../audit/ yet.

export { AuditLog } from "../audit/log.ts";
