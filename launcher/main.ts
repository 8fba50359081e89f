import { join } from "node:path";
import { launchTarsy } from "./launch.ts";
import { projectRoot } from "./prepare.mjs";
import { projectPaths } from "./project-paths.ts";

// A terminal that was closed cannot be written to; that must not keep anything from stopping in order.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

process.exit(
  await launchTarsy({
    args: process.argv.slice(2),
    env: process.env,
    paths: projectPaths(projectRoot),
    servicesDir: join(projectRoot, "services"),
    // npm runs us in the folder of package.json and keeps where the user was.
    userDir: process.env["INIT_CWD"] ?? process.cwd(),
  }),
);
