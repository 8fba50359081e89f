import { LOCAL_MODEL, startLocalModel } from "./start-local-model.ts";

// Serves the tests' model until Ctrl-C: npx node test/support/local-model/run.ts
const model = await startLocalModel();
const command = "npm run tarsy -- eval examples/eval/local-model.yaml";
process.stdout.write(
  `Ctrl-C stops it. In another terminal:\nLOCAL_MODEL=${LOCAL_MODEL} LOCAL_MODEL_URL=${model.url} ${command}\n`,
);
await new Promise((resolve) => {
  process.once("SIGINT", resolve);
  process.once("SIGTERM", resolve);
});
await model[Symbol.asyncDispose]();
