import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { changeConfig } from "../../../test/support/change-config.ts";
import { ApiFixture } from "./api-fixture.ts";

describe("GET /api/v1/sessions/:id/trace/llm/:interaction", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  /** A session with one stage: one agent, and as the second execution a synthesis by another provider. */
  const synthesized = async () => {
    const id = await api.client.submit("x");
    const [stageId, executionId] = [randomUUID(), randomUUID()];
    await changeConfig(
      api.servers,
      id,
      `jsonb_set(config, '{stages,1,synthesis}',
         jsonb_set(config #> '{stages,1,agents,0}', '{llm_provider,name}', '"combiner"'))`,
    );
    await api.servers.query(
      "INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count) VALUES ($1, $2, 'one', 1, 1)",
      [stageId, id],
    );
    for (const [index, execution] of [randomUUID(), executionId].entries()) {
      await api.servers.query(
        `INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy,
           iteration_state, llm_provider) VALUES ($1, $2, $3, 'A', $4, 'synthesis', '{"iteration": 1}', 'p')`,
        [execution, stageId, id, index + 1],
      );
    }
    await api.servers.query(
      `INSERT INTO messages (message_id, session_id, stage_id, execution_id, sequence_number, role, content)
       SELECT gen_random_uuid(), $1, $2, $3, n, 'user', 'message ' || n FROM generate_series(1, 3) AS n`,
      [id, stageId, executionId],
    );
    return { id, stageId, executionId };
  };
  const interact = async (
    { id, stageId, executionId }: { id: string; stageId: string; executionId: string },
    request: object,
    type: string,
  ) => {
    const interactionId = randomUUID();
    await api.servers.query(
      `INSERT INTO llm_interactions (interaction_id, session_id, stage_id, execution_id, interaction_type, model_name,
         last_message_id, llm_request, llm_response)
       SELECT $1, $2, $3, $4, $5::llm_interaction_type, 'm', message_id, $6, '{}' FROM messages
       WHERE execution_id = $4 AND sequence_number = 2`,
      [interactionId, id, stageId, executionId, type, JSON.stringify(request)],
    );
    const { status, body } = await api.client.request(
      "GET",
      `/api/v1/sessions/${id}/trace/llm/${interactionId}`,
    );
    expect(status).to.equal(200);
    return body;
  };

  it("shows the model settings of a synthesis execution", async () => {
    const body = await interact(await synthesized(), {}, "synthesis");
    expect(body["llm_provider"]).to.include({ name: "combiner", model: "scripted-test" });
  });

  it("shows the provider that made the call, if it took over from another", async () => {
    const session = await synthesized();
    await changeConfig(
      api.servers,
      session.id,
      `jsonb_set(config, '{stages,1,synthesis,fallback_providers}',
         jsonb_build_array(jsonb_set(config #> '{stages,1,agents,0,llm_provider}', '{name}', '"spare"')))`,
    );
    const own = await interact(session, { provider: "combiner" }, "synthesis");
    expect(own["llm_provider"]).to.include({ name: "combiner" });
    const other = await interact(session, { provider: "spare" }, "synthesis");
    expect(other["llm_provider"]).to.include({ name: "spare" });
  });

  it("shows in the session which executions changed their provider, and why", async () => {
    const { id, stageId, executionId } = await synthesized();
    await api.servers.query(
      `UPDATE agent_executions SET llm_provider = 'spare', original_llm_provider = 'p', original_model_name = 'm'
       WHERE execution_id = $1`,
      [executionId],
    );
    for (const attempt of [1, 2]) {
      await api.servers.query(
        `INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status,
           content, metadata) VALUES ($1, $2, $3, $4, $5, 'provider_fallback', 'completed', 'x', $6)`,
        [
          randomUUID(),
          id,
          stageId,
          executionId,
          attempt,
          JSON.stringify({ reason: `no ${attempt}`, error_code: "max_retries", attempt }),
        ],
      );
    }
    const { body } = await api.client.request("GET", `/api/v1/sessions/${id}`);
    expect(body).to.include({ provider_fallback_count: 2 });
    expect(body)
      .to.have.nested.property("stages[0].executions[0]")
      .that.does.not.have.property("fallback_reason");
    expect(body).to.have.nested.property("stages[1].executions[0]").that.includes({
      llm_provider: "spare",
      original_llm_provider: "p",
      original_model_name: "m",
      fallback_reason: "no 2",
      fallback_error_code: "max_retries",
      fallback_attempt: 2,
    });
  });

  it("shows the execution's messages up to the last one the call was sent", async () => {
    const body = await interact(await synthesized(), {}, "synthesis");
    expect(body["conversation"]).to.deep.equal([
      { role: "user", content: "message 1" },
      { role: "user", content: "message 2" },
    ]);
  });

  it("shows the messages recorded with the call, if any", async () => {
    const messages = [
      { role: "system", content: "be brief" },
      { role: "user", content: "summarize this" },
    ];
    const body = await interact(await synthesized(), { messages }, "executive_summary");
    expect(body["conversation"]).to.deep.equal(messages);
  });

  it("lists the synthesis execution in a stage of its own", async () => {
    const { id, executionId } = await synthesized();
    const { stages } = await api.client.session(id);
    expect(stages.map(({ executions }) => executions.length)).to.deep.equal([1, 1]);
    expect(stages[1]?.executions[0]).to.include({ execution_id: executionId, agent_index: 1 });
  });
});
