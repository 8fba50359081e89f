import { useState } from "preact/hooks";
import { api, failureText } from "../../../api/client.ts";
import { useKeys } from "../../../keys.ts";
import { ConfirmQuestion } from "../../../parts/confirm-question.tsx";
import { TEXT } from "../../../text.ts";
import type { SessionStore } from "../session-store.ts";

/** Cancels a session, after a question. */
export function CancelButton({ store }: { readonly store: SessionStore }) {
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<string>();
  useKeys({ x: [TEXT.session.keys.cancel, () => setAsking(true)] });
  const cancel = async () => {
    try {
      await api.call("POST /api/v1/sessions/:id/cancel", { params: { id: store.id } });
      setProblem(undefined);
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return (
    <>
      <button type="button" class="button danger" onClick={() => setAsking(true)}>
        {TEXT.session.cancel}
      </button>
      {problem !== undefined && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
      {isAsking && (
        <ConfirmQuestion
          texts={TEXT.cancel}
          onAnswer={(isYes) => {
            setAsking(false);
            if (isYes) void cancel();
          }}
        />
      )}
    </>
  );
}
