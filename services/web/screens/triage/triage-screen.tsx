import { api } from "../../api/client.ts";
import { may } from "../../api/me.ts";
import { useKeys } from "../../keys.ts";
import { RemoteState } from "../../parts/remote-state.tsx";
import { useRemote } from "../../parts/use-remote.ts";
import { useTitle } from "../../parts/use-title.ts";
import { TEXT } from "../../text.ts";
import { NEEDS_PERSON, type SessionItem } from "../sessions/list-filters.ts";
import { rowsOf } from "../sessions/list-rows.ts";
import { focusedId, moveFocus } from "../sessions/row-focus.ts";
import { useReviewStep } from "../session/later/review-step.tsx";
import { SessionPart } from "../sessions/session-part.tsx";
import { TRIAGE_TEXT } from "./triage-text.ts";
import "./triage-screen.css";

const { triage: texts } = TRIAGE_TEXT;
const EVERY_MS = 10_000;
/** The rows of a group; the list has the others. */
const PAGE_SIZE = 20;
const REVIEWED = 10;
/** The step that a press takes with a session, by the state of its review. */
const STEPS = { needs_review: "claim", in_progress: "unclaim", reviewed: "reopen" } as const;
const REVIEWS = ["needs_review", "in_progress", "reviewed"] as const;

interface TriageSection {
  readonly name: (typeof REVIEWS)[number] | "attention";
  readonly count: number;
  readonly sessions: readonly SessionItem[];
}

/** The groups in the order in which people take them: what waits for a person, then the states of reviews. */
async function readGroups(signal: AbortSignal): Promise<readonly TriageSection[]> {
  const attention = async (): Promise<TriageSection> => {
    const query = { ...NEEDS_PERSON, page_size: PAGE_SIZE };
    const { sessions, pagination } = await api.call("GET /api/v1/sessions", { query, signal });
    return { name: "attention", count: pagination.total_items, sessions };
  };
  const review = async (name: (typeof REVIEWS)[number]): Promise<TriageSection> => {
    const { count, sessions } = await api.call("GET /api/v1/sessions/triage/:group", {
      params: { group: name },
      query: { page_size: name === "reviewed" ? REVIEWED : PAGE_SIZE },
      signal,
    });
    return { name, count, sessions };
  };
  return Promise.all([attention(), ...REVIEWS.map(review)]);
}

/** Which sessions a person has to look at, in four groups, with the steps of a review. */
export function TriageScreen() {
  const groups = useRemote("triage", readGroups, { every: EVERY_MS });
  const waiting = groups.value?.find(({ name }) => name === "attention")?.count ?? 0;
  useTitle(TEXT.sessions.waiting(waiting, TEXT.titles.triage));
  const { take, problem, question } = useReviewStep(groups.reload);
  const takeStep = (item: SessionItem) => {
    const { review_status: status } = item;
    if (status !== null && may("session.review")) take(item, STEPS[status]);
  };
  useKeys({
    j: [TEXT.sessions.keys.next, () => moveFocus(1)],
    k: [TEXT.sessions.keys.previous, () => moveFocus(-1)],
    c: [
      texts.keys.step,
      ({ repeat }) => {
        const item = groups.value?.flatMap(({ sessions }) => sessions).find(({ id }) => id === focusedId());
        // Other steps take a claim or a review away: they are for the button.
        if (!repeat && item?.review_status === "needs_review") takeStep(item);
      },
    ],
  });
  const actionsOf = (item: SessionItem) =>
    item.review_status !== null &&
    may("session.review") && (
      <button type="button" class="button row-action" onClick={() => takeStep(item)}>
        {texts.steps[STEPS[item.review_status]]}
      </button>
    );
  return (
    <div class="sessions-screen triage-screen">
      <div class="sessions-title">
        <h1>{TEXT.titles.triage}</h1>
        <a class="button plain" href="/handover">
          {TEXT.titles.handover}
        </a>
      </div>
      {problem !== undefined && (
        <p class="session-failure" role="alert">
          {texts.failed(problem)}
        </p>
      )}
      {question}
      <RemoteState remote={groups} />
      {groups.value?.map(({ name, count, sessions }) => (
        <div key={name}>
          <SessionPart
            title={texts.groups[name](count.toLocaleString())}
            rows={rowsOf(sessions)}
            empty={texts.empty[name]}
            actionsOf={actionsOf}
          />
          {count > sessions.length && (
            <a class="small" href={name === "attention" ? "/?status=attention" : `/?review=${name}`}>
              {texts.showAll(count.toLocaleString())}
            </a>
          )}
        </div>
      ))}
    </div>
  );
}
