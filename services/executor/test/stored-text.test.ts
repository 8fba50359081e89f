import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { INITIAL_ITERATION_STATE } from "#shared/contracts/iteration-state.ts";
import { commitStep } from "../persist/commit-step.ts";
import { loadAgent } from "../state/load-agent.ts";
import { ExecutorFixture } from "./executor-fixture.ts";

const HOSTILE = "a\0b\ud800💾";
const STORED = "a\uFFFDb\uFFFD💾";

/** Every text and every jsonb value of the rows that this session has in a table. */
const textsOf = (table: string) => `
WITH value AS (SELECT key, value FROM ${table} AS row, jsonb_each(to_jsonb(row)) WHERE session_id = $1)
SELECT DISTINCT key FROM value WHERE value::text LIKE '%a_b_💾%' ORDER BY key`;

describe("what a step stores", () => {
  let executor: ExecutorFixture;

  before(async () => {
    executor = await ExecutorFixture.start();
  });
  after(() => executor[Symbol.asyncDispose]());

  it("has a replacement for what Postgres refuses, in every text and jsonb column, also in memory and in events", async () => {
    const id = await executor.insert();
    await using session = await executor.own(id);
    const [stage_id, execution_id, interaction_id] = [randomUUID(), randomUUID(), randomUUID()];
    const of = { stage_id, execution_id };
    const json = { [HOSTILE]: [HOSTILE, { deep: HOSTILE }] };
    const end = { status: "failed", error_message: HOSTILE, error_code: HOSTILE } as const;
    await session.memory.state();
    const provider = { llm_provider: HOSTILE, llm_backend: HOSTILE, model_name: HOSTILE };
    await commitStep(
      session,
      [
        {
          rows: {
            stages: [
              {
                stage_id,
                stage_name: HOSTILE,
                stage_index: 1,
                expected_agent_count: 1,
                parallel_type: null,
                success_policy: null,
                stage_type: "investigation",
              },
            ],
            stageEnds: [{ stage_id, ...end }],
            executions: [
              {
                ...of,
                agent_name: HOSTILE,
                agent_index: 1,
                iteration_strategy: "react",
                iteration_state: { ...INITIAL_ITERATION_STATE, last_error: HOSTILE },
                ...provider,
              },
            ],
            executionChanges: [{ execution_id, end, provider: { next: provider, former: provider } }],
            messages: [
              {
                ...of,
                message_id: randomUUID(),
                sequence_number: 1,
                role: "assistant",
                content: HOSTILE,
                tool_calls: [{ id: HOSTILE, name: HOSTILE, arguments: HOSTILE }],
                tool_call_id: null,
                tool_name: null,
                provider_state: Buffer.from([0, 1, 255]).toString("base64"),
              },
            ],
            llmInteractions: [
              {
                ...of,
                interaction_id,
                interaction_type: "iteration",
                provider_type: HOSTILE,
                model_name: HOSTILE,
                last_message_id: null,
                llm_request: json,
                llm_response: json,
                thinking_content: HOSTILE,
                input_tokens: null,
                output_tokens: null,
                thinking_tokens: null,
                total_tokens: null,
                cached_input_tokens: null,
                cache_write_tokens: null,
                estimated_cost_usd: null,
                price_source: HOSTILE,
                duration_ms: 1,
                error_message: HOSTILE,
                error_code: HOSTILE,
              },
            ],
            mcpInteractions: [
              {
                ...of,
                interaction_id,
                interaction_type: "tool_call",
                server_name: HOSTILE,
                tool_name: HOSTILE,
                tool_arguments: json,
                tool_result: json,
                available_tools: [
                  {
                    name: HOSTILE,
                    server: HOSTILE,
                    description: HOSTILE,
                    parameters_schema: "{}",
                    read_only: true,
                  },
                ],
                duration_ms: 1,
                error_message: HOSTILE,
              },
            ],
            timeline: [
              {
                ...of,
                event_id: randomUUID(),
                sequence_number: 1,
                event_type: "error",
                status: "completed",
                content: HOSTILE,
                metadata: json,
                llm_interaction_id: interaction_id,
                mcp_interaction_id: interaction_id,
              },
            ],
            session: {
              end: {
                ...end,
                final_analysis: HOSTILE,
                executive_summary: HOSTILE,
                executive_summary_error: HOSTILE,
              },
            },
          },
          events: [{ type: "session.status", session_id: id, status: "failed", error_message: HOSTILE }],
        },
      ],
      "finish",
    );
    const found = async (table: string) => {
      const rows = await executor.query(textsOf(table), [id]);
      return rows.map((row) => (typeof row === "object" && row !== null && "key" in row ? row.key : row));
    };
    const ERRORS = ["error_code", "error_message"];
    expect(await found("stages")).to.deep.equal([...ERRORS, "stage_name"]);
    expect(await found("agent_executions")).to.deep.equal([
      "agent_name",
      ...ERRORS,
      "iteration_state",
      "llm_backend",
      "llm_provider",
      "model_name",
      "original_llm_backend",
      "original_llm_provider",
      "original_model_name",
    ]);
    expect(await found("messages")).to.deep.equal(["content", "tool_calls"]);
    expect(await found("llm_interactions")).to.deep.equal([
      ...ERRORS,
      "llm_request",
      "llm_response",
      "model_name",
      "price_source",
      "thinking_content",
    ]);
    expect(await found("mcp_interactions")).to.deep.equal([
      "available_tools",
      "error_message",
      "server_name",
      "tool_arguments",
      "tool_name",
      "tool_result",
    ]);
    expect(await found("timeline_events")).to.deep.equal(["content", "metadata"]);
    expect(await found("events")).to.deep.equal(["payload"]);
    expect(await executor.row("alert_sessions", "final_analysis, executive_summary", id)).to.deep.equal({
      final_analysis: STORED,
      executive_summary: STORED,
    });
    const { messages } = await loadAgent(executor.db, execution_id);
    expect(messages[0]).to.deep.include({ content: STORED, provider_state: Buffer.from([0, 1, 255]) });
    expect((await session.memory.state()).executions[0]).to.include({
      agent_name: STORED,
      error_message: STORED,
    });
  });
});
