import { selectRows } from "#shared/database/select-rows.ts";
import type { DatabaseReads } from "../feed/database-reads.ts";
import type { SessionFeed } from "../feed/session-feed.ts";
import { DialectFacts, parseFactRows } from "./session-facts.ts";
import type { SessionPlans } from "./session-plans.ts";
import { DialectView } from "./session-view.ts";
import { untilAborted } from "#shared/until-aborted.ts";

/** One statement, so that all of it is of one moment. */
const FACTS = `
SELECT (extract(epoch FROM now() - s.completed_at) * 1000)::float8 AS ended_ms_ago,
  s.executive_summary IS NOT NULL AS has_summary, r.has_summary_stage AS is_summary_due,
  (SELECT coalesce(json_agg(x), '[]') FROM (
     SELECT stage_id, stage_index, stage_type FROM stages WHERE session_id = $1) x) AS stages,
  (SELECT coalesce(json_agg(x), '[]') FROM (
     SELECT execution_id, stage_id, agent_index, parent_execution_id FROM agent_executions WHERE session_id = $1) x) AS executions,
  (SELECT coalesce(json_agg(x), '[]') FROM (
     SELECT call.event_id, call.execution_id, result.event_id IS NOT NULL AS is_answered
     FROM timeline_events call LEFT JOIN timeline_events result
       ON result.session_id = $1 AND result.event_type = 'tool_result'
          AND result.mcp_interaction_id = call.mcp_interaction_id
     WHERE call.session_id = $1 AND call.event_type = 'llm_tool_call'
     ORDER BY call.created_at, call.sequence_number) x) AS calls
FROM alert_sessions s JOIN session_runtime r USING (session_id) WHERE s.session_id = $1`;

/** The views of the sessions that clients of the contract watch: one per feed, for all of them. */
export class SessionViews {
  readonly #reads: DatabaseReads;
  readonly #plans: SessionPlans;
  readonly #views = new WeakMap<SessionFeed, Promise<DialectView>>();

  constructor(reads: DatabaseReads, plans: SessionPlans) {
    this.#reads = reads;
    this.#plans = plans;
  }

  /**
   * The view of a session whose feed has started. Waits while Postgres is unavailable; throws RetryableError if too many reads
   * wait, the feed's error if it has ended, or the signal's reason.
   */
  async of(feed: SessionFeed, signal: AbortSignal): Promise<DialectView> {
    const known = this.#views.get(feed);
    if (known !== undefined) return untilAborted(known, signal);
    const opened = this.#open(feed);
    this.#views.set(feed, opened);
    opened.catch(() => this.#views.delete(feed));
    return untilAborted(opened, signal);
  }

  async #open(feed: SessionFeed): Promise<DialectView> {
    const { sessionId, closed: signal } = feed;
    const facts = new DialectFacts(sessionId, await this.#plans.find(sessionId, signal));
    const view = new DialectView(facts);
    // Attached before the rows are read, so that nothing happens in between; the first watcher gets each event first.
    const detach = feed.attach(view);
    try {
      const [rows] = await this.#reads.run({
        what: "session facts",
        signal,
        read: async (manager) => selectRows(manager, parseFactRows, FACTS, [sessionId]),
      });
      if (rows !== undefined) facts.addRows(rows);
      return view;
    } catch (error) {
      detach();
      throw error;
    }
  }
}
