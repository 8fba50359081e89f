import type { TableRules } from "#shared/database/table-rules.ts";

const READ = { select: true } as const;
const ADD = { select: true, insert: true } as const;

/** The tables of what agents ask people, and of what people tell agents, while a session runs, and of what follows its end. */
export const PERSON_TABLES = {
  approvals: {
    grants: {
      // It inserts those of a fork, which were decided before.
      api: { select: true, insert: true, update: ["state", "decided_at", "decided_by", "reason"] },
      executor: { select: true, insert: true, update: ["state", "decided_at"] },
      "tool-runner": READ,
    },
    purge: { kind: "session" },
  },
  steering_messages: { grants: { api: ADD, executor: READ }, purge: { kind: "session" } },
  steering_deliveries: { grants: { api: ADD, executor: ADD }, purge: { kind: "session" } },
  follow_ups: {
    grants: {
      api: { select: true, insert: true, update: ["cancel_requested_at", "is_indexed"] },
      executor: {
        select: true,
        // Of a session that is scored when it completes.
        insert: true,
        update: ["status", "started_at", "deadline_at", "completed_at", "error_message", "error_code"],
      },
      "tool-runner": {
        select: ["follow_up_id", "session_id", "stage_id", "status", "resolved_config"],
      },
    },
    purge: { kind: "session" },
  },
  chats: {
    grants: { api: { select: true, insert: true }, executor: READ },
    purge: { kind: "session" },
  },
  chat_user_messages: {
    grants: { api: { select: true, insert: true }, executor: READ },
    purge: { kind: "session" },
  },
  session_scores: {
    grants: {
      api: ADD,
      executor: {
        ...ADD,
        update: [
          "status",
          "total_score",
          "score_analysis",
          "tool_improvement_report",
          "failure_tags",
          "prompt_hash",
          "error_message",
          "started_at",
          "completed_at",
        ],
      },
    },
    purge: { kind: "session" },
  },
  session_review_activities: {
    grants: { api: { select: true, insert: true } },
    purge: { kind: "session" },
  },
} as const satisfies Record<string, TableRules>;
