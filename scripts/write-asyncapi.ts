import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { ASYNCAPI_FILE, asyncApiDocument } from "./asyncapi-document.ts";

// Part of `npm run schemas`.
const file = join(import.meta.dirname, "..", ASYNCAPI_FILE);
const style = await resolveConfig(file);
await writeFile(file, await format(JSON.stringify(asyncApiDocument()), { ...style, parser: "json" }));
