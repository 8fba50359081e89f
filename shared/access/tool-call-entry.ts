import type { AuditEntry } from "#shared/access/audit-log.ts";

/** The entry of the audit log for a tool call, without its result: an agent acts, as its execution. */
export function toolCallEntry(call: {
  readonly call_id: string;
  readonly session_id: string;
  readonly execution_id: string;
  readonly name: string;
  /** The reason why it was refused. */
  readonly reason?: string;
}): Omit<AuditEntry, "result"> {
  return {
    action: "tool.call",
    identity: { subject: call.execution_id, via: "agent" },
    sessionId: call.session_id,
    detail: {
      call_id: call.call_id,
      tool: call.name,
      ...(call.reason === undefined ? {} : { reason: call.reason }),
    },
  };
}
