import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { renderNatsUsers } from "../deploy/nats/render-nats-users.ts";

/** Writes the NATS users and their permissions to deploy/nats/users.conf, or to FILE with `npm run nats-users -- FILE`. */
const file = process.argv[2] ?? join(import.meta.dirname, "../deploy/nats/users.conf");
await writeFile(file, renderNatsUsers());
