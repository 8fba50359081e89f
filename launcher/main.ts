import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { projectRoot } from "./prepare.mjs";
import { projectPaths } from "./project-paths.ts";

// Writing to a closed terminal fails; that must not prevent an orderly stop.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const paths = projectPaths(projectRoot);
enableCompileCache(paths.compileCache);
// Imported now, because a static import would be compiled before the cache is on.
const { launchTarsy } = await import("./launch.ts");

process.exit(
  await launchTarsy({
    args: process.argv.slice(2),
    env: process.env,
    paths,
    servicesDir: join(projectRoot, "services"),
    // npm changes to the directory of package.json and passes the user's own directory in INIT_CWD.
    userDir: process.env["INIT_CWD"] ?? process.cwd(),
  }),
);
