import { errorMessage } from "#shared/errors.ts";
import { findNatsServer } from "./nats-binary.ts";
import { projectPaths } from "./project-paths.ts";
import { projectRoot } from "./prepare.mjs";

// The second half of the preparation, for which the pinned Node had to be there: what the embedded servers need.
try {
  await findNatsServer({
    toolsDir: projectPaths(projectRoot).tools,
    env: process.env,
    progress: (line) => console.log(`[prepare] ${line}`),
  });
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = 1;
}
