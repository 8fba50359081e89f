import { errorMessage } from "#shared/errors.ts";
import { findNatsServer } from "./nats/find-nats-server.ts";
import { projectPaths } from "./project-paths.ts";
import { projectRoot } from "./prepare.mjs";

// The second part of the preparation, which runs on the pinned Node: finds or downloads nats-server.
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
