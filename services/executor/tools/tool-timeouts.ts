import { REPLY_WITHIN_MS } from "#shared/contracts/tool-call.ts";

/** Time limits for requests to the tool-runners, in milliseconds. */
export interface ToolTimeouts {
  /** For one reply, which may be "still running"; then the request is repeated. */
  readonly replyMs: number;
  /** While no runner subscribes to the subject: as long as a restart may take. */
  readonly noRespondersMs: number;
  /** Between two requests. */
  readonly retryMs: number;
  /**
   * For a listing: the time for the first answer, which doubles with each repetition, and the time for all, or for all while only
   * servers are missing that have failed, and others have answered.
   */
  readonly listing: {
    readonly firstAnswerMs: number;
    readonly patienceMs: number;
    readonly failedMs: number;
  };
  /** After a call's deadline, for the runner's own record of the call. */
  readonly afterDeadlineMs: number;
}

export const TOOL_TIMEOUTS: ToolTimeouts = {
  replyMs: REPLY_WITHIN_MS + 2_500,
  noRespondersMs: 10_000,
  retryMs: 250,
  listing: { firstAnswerMs: 2_000, patienceMs: 12_000, failedMs: 2_000 },
  afterDeadlineMs: 1_500,
};
