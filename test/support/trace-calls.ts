import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const Call = Type.Object({ id: Type.String() }, { additionalProperties: true });
const Calls = Type.Array(Call);
const CALLS = { llm_interactions: Calls, mcp_interactions: Calls };
const parseTrace = compileParser(
  "trace",
  Type.Object(
    {
      stages: Type.Array(
        Type.Object(
          {
            executions: Type.Array(
              Type.Object(
                {
                  ...CALLS,
                  sub_agents: Type.Optional(Type.Array(Type.Object(CALLS, { additionalProperties: true }))),
                },
                { additionalProperties: true },
              ),
            ),
          },
          { additionalProperties: true },
        ),
      ),
    },
    { additionalProperties: true },
  ),
);

/** Every call of a response of `GET /api/v1/sessions/:id/trace`. */
export function traceCalls(trace: unknown) {
  const { stages } = parseTrace(trace);
  const executions = stages.flatMap((stage) =>
    stage.executions.flatMap(({ sub_agents = [], ...execution }) => [execution, ...sub_agents]),
  );
  return {
    llm: executions.flatMap((execution) => execution.llm_interactions),
    tools: executions.flatMap((execution) => execution.mcp_interactions),
  };
}
