import { v5 as uuidFrom } from "uuid";
import { AgentExecutionEntity } from "#shared/database/entities/agent-execution.ts";
import { LlmInteractionEntity } from "#shared/database/entities/llm-interaction.ts";
import type { NewMessage } from "./controllers/controller.ts";
import type { LlmReply } from "./llm/call-llm.ts";
import type { AgentRun } from "./next-session-step.ts";
import type { OwnedSession } from "./owned-session.ts";
import { COMPLETED } from "./stage-outcome.ts";
import { commitStep } from "./persist/commit-step.ts";
import { endSession } from "./persist/end-session.ts";
import { llmInteractionRow } from "./llm/llm-interaction-row.ts";
import { replyFailure } from "./llm/reply-failure.ts";
import { replyTokens, tokenSums } from "./llm/reply-tokens.ts";
import { summaryText } from "./summary-text.ts";
import { openTimelineWriter } from "./persist/timeline-writer.ts";

/** A finished call for a summary, and what it was to sum up. */
export interface FinishedSummary {
  readonly analysis: string;
  readonly messages: readonly NewMessage[];
  readonly reply: LlmReply;
  readonly durationMs: number;
}

/**
 * Commits the summary with the record of its call, both belonging to the execution that gave the analysis, and the
 * session's completion. Refused when a cancel came first.
 */
export async function recordSummary(
  session: OwnedSession,
  { execution, agent }: AgentRun,
  { analysis, messages, reply, durationMs }: FinishedSummary,
): Promise<void> {
  const { execution_id } = execution;
  const summary = summaryText(reply.text);
  const failure = replyFailure({ ...reply, text: summary, toolCalls: [] }, { thinkingMayAnswer: false });
  const interactionId = uuidFrom("llm:executive-summary", execution_id);
  const tokens = replyTokens(reply);
  const interaction = llmInteractionRow(execution, {
    interactionId,
    type: "executive_summary",
    model: agent.llm_provider.model,
    lastMessageId: null,
    // They are no part of the execution's conversation, so the record has them whole.
    request: { messages_count: messages.length, tools_count: 0, messages },
    reply,
    durationMs,
    failure,
  });
  const row = { key: "executive-summary", type: "executive_summary", metadata: null } as const;
  const timeline = await openTimelineWriter(session, execution, 0);
  await commitStep(
    session,
    async (manager) => {
      await manager.insert(LlmInteractionEntity, interaction);
      await manager.update(AgentExecutionEntity, { execution_id }, tokenSums(tokens));
      const shown =
        failure === null ? [await timeline.add(manager, { ...row, content: summary, interactionId })] : [];
      const ended = await endSession(manager, session.sessionId, COMPLETED, {
        finalAnalysis: analysis,
        executiveSummary: failure === null ? summary : null,
        executiveSummaryError: failure?.message ?? null,
      });
      return { events: [...shown, ...ended], tokens };
    },
    "finish",
  );
}
