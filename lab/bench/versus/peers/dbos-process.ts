import { DBOS } from "@dbos-inc/dbos-sdk";
import { Type } from "typebox";
import { compileParser } from "../../../../shared/contracts/compile-parser.ts";

/**
 * DBOS Transact with the settings of its guide. Argument: the URL of Postgres. Sends "ready", and answers a task with the
 * milliseconds of each of its workflows, which run one at a time, and the number of steps that were executed.
 */
const parseTask = compileParser(
  "task",
  Type.Object({ workflows: Type.Integer({ minimum: 1 }), steps: Type.Integer({ minimum: 1 }) }),
);
let executed = 0;

/** As much as the answer of our scripted model in one of its steps. */
function step(number: number) {
  executed += 1;
  return Promise.resolve({ number, thinking: "Which pod restarts, and why?", call: "lab.look" });
}

const workflow = DBOS.registerWorkflow(
  async (steps: number) => {
    for (let number = 0; number < steps; number++) await DBOS.runStep(() => step(number), { name: "step" });
  },
  { name: "workflow" },
);

DBOS.setConfig({
  name: "tarsy-bench",
  applicationVersion: "1",
  systemDatabaseUrl: process.argv[2] ?? "",
  logLevel: "error",
});
await DBOS.launch();

async function runTask(message: unknown) {
  const { workflows, steps } = parseTask(message);
  executed = 0;
  const ms = [];
  for (let index = 0; index < workflows; index++) {
    const startedAt = performance.now();
    await workflow(steps);
    ms.push(performance.now() - startedAt);
  }
  return { ms, executed };
}

process.on("message", (message) => void runTask(message).then((result) => process.send?.(result)));
process.on("disconnect", () => process.exit());
process.send?.("ready");
