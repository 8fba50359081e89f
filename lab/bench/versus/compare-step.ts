import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { TarsyClient } from "../../../test/support/tarsy-client.ts";
import { shapeConfig, SHAPE_COUNTS, TURNS, type ShapeName } from "../step/shapes.ts";
import type { BenchmarkContext } from "../support/benchmark.ts";
import type { ArmComparison, FigureSpec, ArmFigures } from "./comparison.ts";
import { startDbos } from "./start-dbos.ts";
import { startPhysicalLimits } from "./physical-limits.ts";
import { runComparison } from "./run-comparison.ts";
import { startTarsy, type TarsyUnits } from "./start-tarsy.ts";
import { perStep, stepFigureNames, stepFigures, toStepCosts, type StepCosts } from "./step-costs.ts";
import { UnitMeter } from "./unit-meter.ts";
import type { VersusOptions } from "./versus-options.ts";

const POLL_MS = 5;
/** Sessions of each shape in a round, as a part of all units. */
const SESSIONS_PART = 25;
/** The steps of a short and of a long workflow. */
const STEPS = { short: 10, long: 40 } as const;

const FIGURES: readonly FigureSpec[] = ["llm_step", "tool_step"].flatMap((prefix) =>
  stepFigureNames(prefix).map((name) =>
    name.endsWith("_step_ms") ? { name, limit: "commit_ms" } : { name },
  ),
);
const parseSteps = compileParser(
  "stored steps",
  Type.Object({ answers: Type.Integer(), tools: Type.Integer() }),
);
/** Final answers and summaries have no tool calls. */
const STORED = `
SELECT (SELECT count(*) FROM messages WHERE role = 'assistant' AND tool_calls IS NOT NULL)::int AS answers,
       (SELECT count(*) FROM messages WHERE role = 'tool')::int AS tools`;

/** One durable step of ours, of a model or of a tool, against one of DBOS Transact. */
export async function compareStep(
  { rounds, sessions }: VersusOptions,
  context: BenchmarkContext,
): Promise<ArmComparison[]> {
  const { signal, progress } = context;
  progress("step: starting our system and DBOS Transact");
  await using resources = new AsyncDisposableStack();
  const tarsy = resources.use(await startTarsy({ executors: 1, files: shapeConfig(), signal }));
  const dbos = resources.use(await startDbos());
  const limits = resources.use(await startPhysicalLimits(tarsy.measured.servers));
  const count = Math.max(1, Math.round(sessions / SESSIONS_PART));
  const meter = new UnitMeter(tarsy);
  const comparison = await runComparison(
    {
      name: "step",
      what: `Costs of a step are differences between runs with more and with fewer steps; one session or workflow at a time, ${count} of each length in a round. Ours does more: a step crosses processes, is streamed, and writes a timeline; a step of DBOS is a function call in its process. DBOS has one kind of step, which both of ours are compared with.`,
      figures: FIGURES,
      rounds,
      limits,
      arms: [
        { name: "ours", measure: () => measureOurs(tarsy, meter, count, signal) },
        {
          name: "DBOS Transact",
          measure: async () => {
            const short = await dbos.run(count, STEPS.short);
            const step = perStep(await dbos.run(count, STEPS.long), short, STEPS.long - STEPS.short);
            return { ...stepFigures("llm_step", step), ...stepFigures("tool_step", step) };
          },
        },
      ],
    },
    context,
  );
  return [comparison];
}

async function measureOurs(
  tarsy: TarsyUnits,
  meter: UnitMeter,
  count: number,
  signal: AbortSignal,
): Promise<ArmFigures> {
  const single = await runShape(tarsy, meter, "single", count, signal);
  const tools = await runShape(tarsy, meter, "double-tools", count, signal);
  const turns = await runShape(tarsy, meter, "double-turns", count, signal);
  const tool = perStep(tools, single, TURNS);
  return {
    ...stepFigures("llm_step", perStep(turns, single, TURNS, tool)),
    ...stepFigures("tool_step", tool),
  };
}

async function runShape(
  { api, system, measured }: TarsyUnits,
  meter: UnitMeter,
  shape: ShapeName,
  count: number,
  signal: AbortSignal,
): Promise<StepCosts> {
  const client = new TarsyClient({ api, ws: system.ws });
  const stored = async () => (await measured.db.rows(parseSteps, STORED))[0] ?? { answers: 0, tools: 0 };
  const before = await stored();
  const costs = await measured.startCounting();
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push(await client.submit(`the disk of ${shape} is full`));
    await meter.untilDone("ours", signal, POLL_MS);
  }
  const counted = await costs(count, "session");
  meter.remember(ids);
  await meter.check("ours");
  const after = await stored();
  const { turns, tools } = SHAPE_COUNTS[shape];
  const done = [after.answers - before.answers, after.tools - before.tools];
  if (done.join() !== [count * turns, count * turns * tools].join()) {
    throw new Error(
      `ours: ${count} sessions of ${shape}; answers with tool calls and tool calls: ${done.join()}`,
    );
  }
  const { startedToCompletedP50Ms } = await measured.db.sessionTimes(ids);
  return toStepCosts(startedToCompletedP50Ms, counted, "session");
}
