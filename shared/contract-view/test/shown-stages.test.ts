import { expect } from "chai";
import {
  shownStages,
  summaryStageId,
  summaryStatus,
  synthesisStageId,
  type ChainStage,
  type StageExecution,
} from "#shared/contract-view/shown-stages.ts";
import { plannedStages, stageCounts } from "#shared/contract-view/stage-counts.ts";
import type { RunStatus } from "#shared/contracts/statuses.ts";

const SESSION = "00000000-0000-4000-8000-000000000000";
const ids = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"] as const;

function stage(n: 0 | 1, status: RunStatus, agents: number): ChainStage {
  return {
    stage_id: ids[n],
    stage_name: `stage ${n}`,
    stage_index: n + 1,
    stage_type: n === 0 ? "investigation" : "action",
    status,
    expected_agent_count: agents,
  };
}

function execution(n: 0 | 1, agent_index: number, status: RunStatus): StageExecution {
  return { stage_id: ids[n], agent_index, status };
}

describe("the stages that clients of the contract see", () => {
  const two = [execution(0, 2, "completed"), execution(0, 1, "failed")];
  const brief = (rows: Parameters<typeof shownStages>[1], summary: RunStatus | null = null) =>
    shownStages(SESSION, rows, summary).map(
      ({ stage_index, stage_name, stage_type, status, executions }) =>
        `${stage_index} ${stage_name} ${stage_type} ${status} ${executions.map((one) => one.agent_index).join()}`,
    );

  it("are the chain's, behind each its synthesis once it exists, then the executive summary", () => {
    const stages = [stage(1, "completed", 1), stage(0, "completed", 2)];
    const executions = [execution(1, 1, "completed"), execution(0, 3, "completed"), ...two];
    expect(brief({ stages, executions }, "active")).to.deep.equal([
      "1 stage 0 investigation completed 1,2",
      "2 stage 0 - Synthesis synthesis completed 1",
      "3 stage 1 action completed 1",
      "4 Executive Summary exec_summary active ",
    ]);
    const [first, synthesis, , summary] = shownStages(SESSION, { stages, executions }, "active");
    expect(first).to.include({ stage_id: ids[0], referenced_stage_id: null });
    expect(synthesis).to.include({ stage_id: synthesisStageId(ids[0]), referenced_stage_id: ids[0] });
    expect(synthesis?.executions[0]).to.include({ stage_id: synthesisStageId(ids[0]), agent_index: 1 });
    expect(summary).to.include({ stage_id: summaryStageId(SESSION), row: null });
  });

  it("have those that an agent has started apart, which are no synthesis whatever their index", () => {
    const children = [3, 1].map((index) => ({
      ...execution(0, index, "active"),
      parent_execution_id: ids[1],
    }));
    const rows = { stages: [stage(0, "active", 2)], executions: [...children, ...two] };
    expect(brief(rows)).to.deep.equal(["1 stage 0 investigation active 1,2"]);
    const [shown] = shownStages(SESSION, rows, null);
    expect(shown?.sub_agents.map(({ agent_index }) => agent_index)).to.deep.equal([1, 3]);
  });

  it("keep their numbers while a session goes on", () => {
    const stages = [stage(0, "active", 2)];
    expect(brief({ stages, executions: two })).to.deep.equal(["1 stage 0 investigation active 1,2"]);
    const synthesizing = [...two, execution(0, 3, "active")];
    expect(brief({ stages, executions: synthesizing })).to.deep.equal([
      "1 stage 0 investigation completed 1,2",
      "2 stage 0 - Synthesis synthesis active 1",
    ]);
    // The stage's own row ends one step after its synthesis.
    const synthesized = [...two, execution(0, 3, "completed")];
    expect(brief({ stages, executions: synthesized }).at(-1)).to.contain("synthesis active");
  });

  it("give a failure to the synthesis if that failed, else to the stage", () => {
    const stages = [stage(0, "failed", 2)];
    expect(brief({ stages, executions: two })).to.deep.equal(["1 stage 0 investigation failed 1,2"]);
    expect(brief({ stages, executions: [...two, execution(0, 3, "failed")] })).to.deep.equal([
      "1 stage 0 investigation completed 1,2",
      "2 stage 0 - Synthesis synthesis failed 1",
    ]);
  });

  it("have the summary from the end of the last stage on, unless there was nothing to summarize", () => {
    const session = { executive_summary: null, executive_summary_error: null };
    const done = [stage(0, "completed", 1), stage(1, "completed", 1)];
    const status = (
      of: Partial<Parameters<typeof summaryStatus>[0]> & Pick<Parameters<typeof summaryStatus>[0], "status">,
      rows = done,
    ) => summaryStatus({ ...session, ...of }, rows, 2);
    expect(status({ status: "in_progress" })).to.equal("active");
    expect(status({ status: "cancelling" })).to.equal("active");
    expect(status({ status: "cancelled" })).to.equal("cancelled");
    expect(status({ status: "timed_out" })).to.equal("timed_out");
    expect(status({ status: "completed" })).to.equal(null);
    expect(status({ status: "completed", executive_summary: "all well" })).to.equal("completed");
    expect(status({ status: "completed", executive_summary_error: "no model" })).to.equal("failed");
    expect(status({ status: "in_progress" }, done.slice(0, 1))).to.equal(null);
    expect(status({ status: "failed" }, [stage(0, "completed", 1), stage(1, "failed", 1)])).to.equal(null);
  });

  it("are counted with those that are planned until the session is over", () => {
    expect(plannedStages([{}, {}])).to.equal(3);
    const rows = { stages: [stage(0, "timed_out", 2)], executions: two };
    const shown = shownStages(SESSION, rows, null);
    const counts = {
      completed_stages: 0,
      failed_stages: 1,
      current_stage_index: 1,
      current_stage_id: ids[0],
    };
    expect(stageCounts("in_progress", shown, 4)).to.deep.equal({ total_stages: 4, ...counts });
    expect(stageCounts("timed_out", shown, 4)).to.deep.equal({ total_stages: 1, ...counts });
    expect(stageCounts("pending", [], 4)).to.deep.equal({
      total_stages: 4,
      completed_stages: 0,
      failed_stages: 0,
      current_stage_index: null,
      current_stage_id: null,
    });
  });
});
