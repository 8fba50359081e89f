import { createHash } from "node:crypto";
import { methods, type AgentContext, type RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { ApiClient } from "#shared/client/api-client.ts";
import type { ApiResponse } from "#shared/client/api-types.ts";
import type { NotifierMessage } from "#shared/client/follow-session.ts";
import { escapeHidden } from "#shared/visible-controls.ts";

type Approval = ApiResponse<"GET /api/v1/sessions/:id/approvals">["approvals"][number];

interface PermissionQuestionsOptions {
  readonly api: ApiClient;
  readonly client: AgentContext;
  /** The id of the editor's session. */
  readonly acpId: string;
  readonly warn: (text: string) => void;
}

/** Asks the editor's user about tool calls, and sends what was decided with the credential of this program. */
export class PermissionQuestions {
  readonly #options: PermissionQuestionsOptions;
  readonly #open = new Map<string, AbortController>();

  constructor(options: PermissionQuestionsOptions) {
    this.#options = options;
  }

  /** Takes a message of the session; others than those about approvals are ignored. */
  receive(sessionId: string, message: NotifierMessage): void {
    const id = String(message["approval_id"]);
    if (message["type"] === "approval.decided") this.#open.get(id)?.abort();
    if (message["type"] !== "approval.requested") return;
    const closed = new AbortController();
    this.#open.set(id, closed);
    this.#ask(sessionId, id, closed.signal)
      .catch((error: unknown) => {
        if (!closed.signal.aborted) this.#options.warn(`not decided: ${String(error)}\n`);
      })
      .finally(() => this.#open.delete(id));
  }

  async #ask(sessionId: string, approvalId: string, signal: AbortSignal): Promise<void> {
    const { api, client, acpId } = this.#options;
    const params = { id: sessionId };
    // The event has only the beginning of long arguments, and there may be a decision already.
    const { approvals } = await api.call("GET /api/v1/sessions/:id/approvals", { params, signal });
    const approval = approvals.find(({ approval_id }) => approval_id === approvalId);
    if (approval?.state !== "awaiting_approval" || signal.aborted) return;
    const { outcome } = await client.request(
      methods.client.session.requestPermission,
      { sessionId: acpId, ...questionOf(approval) },
      { cancellationSignal: signal },
    );
    if (outcome.outcome !== "selected" || signal.aborted) return;
    await api.call("POST /api/v1/sessions/:id/approvals/:approval", {
      params: { id: sessionId, approval: approvalId },
      body: { decision: outcome.optionId === "allow" ? "approve" : "deny" },
    });
  }
}

/** The question with all of the arguments: these are what the decision is about, and no others are ever sent to the tool. */
function questionOf({
  call_id,
  tool,
  arguments: given,
}: Approval): Pick<RequestPermissionRequest, "toolCall" | "options"> {
  const hash = createHash("sha256").update(given).digest("hex");
  const text = `${escapeHidden(given)}\n\nSHA-256 of the arguments: ${hash}`;
  return {
    toolCall: {
      toolCallId: call_id,
      title: tool,
      status: "pending",
      rawInput: given,
      content: [{ type: "content", content: { type: "text", text } }],
    },
    options: [
      { optionId: "allow", name: "Allow this call", kind: "allow_once" },
      { optionId: "reject", name: "Reject it", kind: "reject_once" },
    ],
  };
}
