import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { expectEach } from "../harness/expect-each.ts";
import { killDuringWork } from "../harness/kill-during-work.ts";
import type { KilledWork } from "../harness/killed-work.ts";
import type { ModelAnswer, ModelCall } from "../harness/model-server.ts";
import type { Scenario } from "../harness/scenario.ts";

const JOBS = 3;

/** Messages to the parent name the execution that each result is of. */
const RESULTS = `
SELECT s.status::text AS session, (SELECT string_agg(g.status::text, ' ') FROM stages g WHERE g.session_id = s.session_id) AS stages,
       c.children, c.completed, c.delivered, r.results, r.heard
FROM alert_sessions s,
  LATERAL (SELECT count(*)::int AS children, count(*) FILTER (WHERE status = 'completed')::int AS completed,
                  count(delivered_at)::int AS delivered
           FROM agent_executions e WHERE e.session_id = s.session_id AND parent_execution_id IS NOT NULL) c,
  LATERAL (SELECT count(*)::int AS results, count(DISTINCT substring(content from 'exec ([0-9a-f-]+)'))::int AS heard
           FROM messages m WHERE m.session_id = s.session_id AND role = 'user' AND content LIKE '[Sub-agent completed]%') r
WHERE s.session_id = $1`;
const parseResults = compileParser(
  "results of sub-agents",
  Type.Object({
    session: Type.String(),
    stages: Type.String(),
    children: Type.Integer(),
    completed: Type.Integer(),
    delivered: Type.Integer(),
    results: Type.Integer(),
    heard: Type.Integer(),
  }),
);

/** An agent that starts three others, each of which calls a tool. */
export function subAgentsWork(): KilledWork {
  return {
    name: "sub-agents",
    writes: 50,
    answer,
    begin: async (lab) => lab.alerts.submit({ type: "leading", turns: 0 }),
    check: async (context, lab, sessions) => {
      const read = async (id: string) => parseResults((await lab.servers.query(RESULTS, [id]))[0]);
      await expectEach(
        context,
        "three sub-agents are started and complete",
        sessions,
        async ({ sessionId }) => {
          const { children, completed } = await read(sessionId);
          return children === JOBS && completed === JOBS
            ? undefined
            : `${completed} of ${children} completed`;
        },
      );
      await expectEach(context, "each result is delivered once", sessions, async ({ sessionId }) => {
        const { delivered, results, heard } = await read(sessionId);
        const isOnce = delivered === JOBS && results === JOBS && heard === JOBS;
        return isOnce ? undefined : `${results} messages about ${heard}, ${delivered} recorded`;
      });
      await expectEach(context, "the stage of sub-agents completes", sessions, async ({ sessionId }) => {
        const { session, stages } = await read(sessionId);
        return session === "completed" && stages === "completed" ? undefined : `${session}, ${stages}`;
      });
    },
  };
}

export const subAgentsKill: Scenario = killDuringWork(
  "sub-agents-kill",
  "an executor dies at each write of an agent and its three sub-agents",
  () => [subAgentsWork()],
);

function answer(call: ModelCall, conversation: string): ModelAnswer | undefined {
  const { agent, number, caseId } = call;
  const timing = { pauseMs: 50 };
  if (agent.startsWith("agent-13")) {
    if (number > 1) return { ...timing, text: `${agent} is done.` };
    return { ...timing, tool: { name: "act", args: { case: caseId, agent } } };
  }
  if (!agent.startsWith("agent-31")) return undefined;
  if (number === 1) {
    const tasks = Array.from({ length: JOBS }, (_, n) => `job-${n + 1} of ${caseId}`);
    const calls = tasks.map((task) => ({ name: "tarsy__dispatch_agent", args: { name: "Helper", task } }));
    return { ...timing, calls };
  }
  const results = conversation.split("[Sub-agent completed]").length - 1;
  return { ...timing, text: results < JOBS ? "I wait." : "All of it is understood." };
}
