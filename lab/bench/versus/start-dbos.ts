import { fork } from "node:child_process";
import { join } from "node:path";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { nextMessage } from "../support/next-message.ts";
import { percentile } from "../support/percentile.ts";
import { untilExited } from "../support/until-exited.ts";
import { startMeasuredServers } from "./start-measured-servers.ts";
import { toStepCosts, type StepCosts } from "./step-costs.ts";

const PROGRAM = join(import.meta.dirname, "peers/dbos-process.ts");
const NAME = "DBOS Transact";
const parseResult = compileParser(
  "result of workflows",
  Type.Object({ ms: Type.Array(Type.Number()), executed: Type.Integer() }),
);
const parseStored = compileParser(
  "stored steps",
  Type.Object({ steps: Type.Integer(), ended: Type.Integer() }),
);
const STORED = `
SELECT (SELECT count(*) FROM dbos.operation_outputs)::int AS steps,
       (SELECT count(*) FROM dbos.workflow_status WHERE status = 'SUCCESS')::int AS ended`;

/** DBOS Transact in a process of its own. */
interface Dbos extends AsyncDisposable {
  /** Runs workflows of some steps, one at a time. Resolves with the costs of one workflow. */
  run(workflows: number, steps: number): Promise<StepCosts>;
}

/** Starts it on a Postgres of its own. Disposal stops everything. */
export async function startDbos(): Promise<Dbos> {
  await using resources = new AsyncDisposableStack();
  const measured = resources.use(await startMeasuredServers());
  const { servers, db } = measured;
  const child = fork(PROGRAM, [servers.postgres.url]);
  resources.defer(async () => {
    child.kill("SIGKILL");
    await untilExited(child);
  });
  await nextMessage(child, NAME);
  const stored = async () => (await db.rows(parseStored, STORED))[0] ?? { steps: 0, ended: 0 };
  const owned = resources.move();
  return {
    run: async (workflows, steps) => {
      const before = await stored();
      const costs = await measured.startCounting();
      const answer = nextMessage(child, NAME);
      child.send({ workflows, steps });
      const { ms, executed } = parseResult(await answer);
      const counted = await costs(workflows, "workflow");
      const after = await stored();
      const done = [executed, after.steps - before.steps, after.ended - before.ended];
      if (done.join() !== [workflows * steps, workflows * steps, workflows].join()) {
        throw new Error(
          `${NAME}: ${workflows} workflows of ${steps} steps; executed, stored, ended: ${done.join()}`,
        );
      }
      return toStepCosts(percentile(ms, 0.5), counted, "workflow");
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
