import { useState } from "preact/hooks";
import { failureText } from "../../../api/client.ts";

/** A request that a reader makes by a button, one at a time. */
interface SendState {
  readonly isSending: boolean;
  /** Why the latest one failed. */
  readonly problem: string | undefined;
  /** Makes a request; resolves with true if it succeeded, and at once with false while another one is made. */
  readonly send: (request: () => Promise<unknown>) => Promise<boolean>;
}

/** Makes requests and keeps how the latest one went. */
export function useSending(): SendState {
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const send = async (request: () => Promise<unknown>) => {
    if (isSending) return false;
    setSending(true);
    setProblem(undefined);
    try {
      await request();
      return true;
    } catch (error) {
      setProblem(failureText(error));
      return false;
    } finally {
      setSending(false);
    }
  };
  return { isSending, problem, send };
}
