import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { renderNatsUsers } from "../deploy/nats/render-nats-users.ts";

/** Writes the NATS users with their permissions; `npm run nats-users -- FILE` puts them elsewhere. */
const file = process.argv[2] ?? join(import.meta.dirname, "../deploy/nats/users.conf");
await writeFile(file, renderNatsUsers());
