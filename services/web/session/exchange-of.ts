import { shownEntries } from "./describe-entry.ts";
import type { TimelineEntry, AgentLane, StageView } from "./session-view.ts";

/** A question about a session, and how it was answered so far. */
export interface CallExchange {
  /** Undefined before its event. */
  readonly question: TimelineEntry | undefined;
  /** Who asked; undefined where that is not known. */
  readonly author: string | undefined;
  /** The agent that answers. */
  readonly lane: AgentLane | undefined;
  /** What the agent did before its answer. */
  readonly steps: readonly TimelineEntry[];
  /** The answer, also while it is written, or as far as it came. */
  readonly answer: TimelineEntry | undefined;
  /** The agents that the answering one has started. */
  readonly subAgents: readonly AgentLane[];
}

/** The exchange that a stage of a chat is. */
export function exchangeOf({ lanes }: Pick<StageView, "lanes">): CallExchange {
  const lane = lanes.find(({ parent }) => parent === undefined);
  const question = lane?.entries.find(({ type }) => type === "user_question");
  const rest = lane === undefined ? [] : shownEntries(lane).filter((entry) => entry !== question);
  const last = rest.at(-1);
  const answer =
    rest.findLast(({ type }) => type === "final_analysis") ??
    (last?.type === "llm_response" ? last : undefined);
  const author = question?.metadata["author"];
  return {
    question,
    author: typeof author === "string" ? author : undefined,
    lane,
    steps: rest.filter((entry) => entry !== answer),
    answer,
    subAgents: lanes.filter(({ parent }) => parent !== undefined),
  };
}
