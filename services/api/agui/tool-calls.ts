import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import { escapeHidden } from "#shared/visible-controls.ts";
import type { AguiInterrupt } from "./agui-event.ts";

/** An open question about a tool call. */
export type AskedApproval = Extract<SessionEventPayload, { type: "approval.requested" }>;

/** The answer that a question expects. */
const RESPONSE_SCHEMA = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    reason: { type: "string", maxLength: 2_000, description: "for the agent" },
  },
  required: ["approved"],
};

/** The name of the tool of a stored `llm_tool_call`: "server.tool". */
export function toolNameOf(metadata: object | null | undefined): string {
  const members = new Map<string, unknown>(Object.entries(metadata ?? {}));
  const names = ["server_name", "tool_name"].map((member) => members.get(member));
  return names.filter((name) => typeof name === "string" && name !== "").join(".") || "tool";
}

/** A question as AG-UI asks it. It names no call: that is announced once it may be made. */
export function interruptOf(
  { approval_id, agent_name, tool, arguments: given, arguments_complete, expires_at }: AskedApproval,
  tag: { readonly subagentRunId?: string },
): AguiInterrupt {
  return {
    id: approval_id,
    reason: "tool_call",
    message: `May ${agent_name} call ${tool}?`,
    expiresAt: expires_at,
    responseSchema: RESPONSE_SCHEMA,
    metadata: { tool, arguments: escapeHidden(given), arguments_complete },
    ...tag,
  };
}
