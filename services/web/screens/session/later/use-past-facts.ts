import { useEffect, useRef } from "preact/hooks";
import { api, failureText } from "../../../api/client.ts";
import { endOfStep } from "../../../session/steps.ts";
import type { PastFacts, SessionFacts, SessionStore } from "../session-store.ts";

/** The slider rests for so long before the api is asked: most moments are only passed. */
const PAUSE_MS = 200;
/** So many moments are kept, without what the page folds from the events itself. */
const MAX_KEPT = 100;

/** Reads what no event carries (tokens, cost, unread messages) as it was at the event that is shown, into `store.past`. */
export function usePastFacts(store: SessionStore): void {
  const kept = useRef(new Map<number, PastFacts>());
  const at = store.at.value;
  // A moment that has not come yet is asked for when it has.
  const isKnown = at !== undefined && at <= store.fold.view.seq && store.version.value >= 0;
  useEffect(() => {
    if (at === undefined) store.past.value = undefined;
    if (at === undefined || !isKnown || store.hasOtherNumbers) return undefined;
    const known = kept.current.get(at);
    if (known !== undefined) {
      store.past.value = known;
      return undefined;
    }
    const stopping = new AbortController();
    const read = async () => {
      const past = await readPast(store, at, stopping.signal);
      if (stopping.signal.aborted) return;
      store.past.value = past;
      const [oldest] = kept.current.keys();
      if (oldest !== undefined && kept.current.size >= MAX_KEPT) kept.current.delete(oldest);
      if (past.facts !== undefined) kept.current.set(at, past);
    };
    const timer = setTimeout(() => void read(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stopping.abort();
    };
  }, [store, at, isKnown]);
}

/** An event is shown with the numbers of the whole step that it belongs to. */
async function readPast(store: SessionStore, seq: number, signal: AbortSignal): Promise<PastFacts> {
  try {
    const query = { at_seq: endOfStep(store.events, seq) };
    const facts: SessionFacts = await api.call("GET /api/v1/sessions/:id/overview", {
      params: { id: store.id },
      query,
      signal,
    });
    return { seq, facts: { ...facts, stages: [] } };
  } catch (error) {
    return { seq, problem: failureText(error) };
  }
}
