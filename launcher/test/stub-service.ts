import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, dirname, join } from "node:path";

/*
 * A stub service with a readiness port, as a source or a bundle. A file `behaviour` next to its entry makes it misbehave: "die" (before it is
 * ready), "misconfigured" or "deaf" (ignores stop signals).
 */
const folder = dirname(process.argv[1] ?? "");
const service = basename(folder);
const behaviourFile = join(folder, "behaviour");
const behaviour = existsSync(behaviourFile) ? readFileSync(behaviourFile, "utf8") : "";

if (behaviour === "die") {
  console.error("no disk space");
  process.exit(3);
}

if (behaviour === "misconfigured") {
  console.error("SHELF is invalid");
  process.exit(78);
}

if (service === "migrate") {
  writeFileSync(join(folder, ".env.json"), JSON.stringify(process.env));
  process.exit(0);
}

const port = Number(process.env[`${service.toUpperCase().replaceAll("-", "_")}_HEALTH_PORT`]);
const server = createServer((_request, response) => response.end("ok"));
server.listen(port, "127.0.0.1", () => console.log(`serving on ${port}`));
// With a dot, because `npm run dev` watches the folder and takes other files for changes.
writeFileSync(join(folder, `.env-${process.pid}.json`), JSON.stringify(process.env));

const stop = (cause: string): void => {
  console.log(`stopping because of ${cause}`);
  if (behaviour !== "deaf") process.exit(0);
};
process.on("SIGTERM", () => stop("SIGTERM"));
process.on("SIGINT", () => stop("SIGINT"));
process.on("disconnect", () => stop("disconnect"));
