import { useState } from "preact/hooks";
import { api } from "../../../api/client.ts";
import type { AskedApproval } from "../../../session/session-view.ts";
import { shownText } from "../../../session/shown-text.ts";
import { TEXT } from "../../../text.ts";
import { ResultView } from "../result-view.tsx";
import type { SessionStore } from "../session-store.ts";
import "./approval-question.css";

interface ApprovalQuestionProps {
  readonly approval: AskedApproval;
  readonly store: SessionStore;
}

/** The question whether a tool call may be made, with the buttons that decide it while it is open. */
export function ApprovalQuestion({ approval, store }: ApprovalQuestionProps) {
  const [reason, setReason] = useState("");
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const decide = async (decision: "approve" | "deny") => {
    setSending(true);
    setProblem(undefined);
    try {
      await api.call("POST /api/v1/sessions/:id/approvals/:approval", {
        params: { id: store.id, approval: approval.id },
        body: { decision, ...(reason.trim() === "" ? {} : { reason }) },
      });
    } catch (error) {
      // The buttons stay, and the sentence says why nothing was decided.
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setSending(false);
  };
  const isOpen = approval.state === "awaiting_approval" && store.at.value === undefined;
  const by = approval.decidedBy ?? TEXT.session.unknownPerson;
  return (
    <div class="approval">
      <p>
        <b>{TEXT.session.asks(shownText(approval.tool))}</b>
      </p>
      <ResultView text={approval.arguments} label={TEXT.session.arguments} />
      {!approval.argumentsComplete && <p class="small soft">{TEXT.session.argumentsCut}</p>}
      {!isOpen && <p>{TEXT.session.decided[approval.state](by)}</p>}
      {approval.reason !== null && <p class="plain-text soft">{shownText(approval.reason)}</p>}
      {isOpen && (
        <form class="approval-form" onSubmit={(event) => event.preventDefault()}>
          <label>
            <span class="small soft">{TEXT.session.reason}</span>
            <input
              value={reason}
              maxLength={2_000}
              onInput={({ currentTarget }) => setReason(currentTarget.value)}
            />
          </label>
          <button
            type="button"
            class="button primary"
            disabled={isSending}
            onClick={() => void decide("approve")}
          >
            {TEXT.session.approve}
          </button>
          <button
            type="button"
            class="button danger"
            disabled={isSending}
            onClick={() => void decide("deny")}
          >
            {TEXT.session.deny}
          </button>
          <p class="small soft">
            {TEXT.session.until(
              new Date(approval.expiresAt).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }),
            )}
          </p>
        </form>
      )}
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
