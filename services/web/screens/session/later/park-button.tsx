import { useState } from "preact/hooks";
import { api, failureText } from "../../../api/client.ts";
import type { SessionStore } from "../session-store.ts";
import { LATER_TEXT } from "./later-text.ts";

/** Has a session give its place up, or go on; says why it does not. */
export function ParkButton({
  store,
  isParked,
}: {
  readonly store: SessionStore;
  readonly isParked: boolean;
}) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    try {
      const route = isParked ? "POST /api/v1/sessions/:id/resume" : "POST /api/v1/sessions/:id/park";
      await api.call(route, { params: { id: store.id } });
      setProblem(undefined);
    } catch (error) {
      setProblem(failureText(error));
    }
    // A session that is to be parked after its step has no event of it.
    await store.readFacts();
    setBusy(false);
  };
  return (
    <>
      <button type="button" class="button" disabled={isBusy} onClick={() => void press()}>
        {isParked ? LATER_TEXT.session.resume : LATER_TEXT.session.park}
      </button>
      {problem !== undefined && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
