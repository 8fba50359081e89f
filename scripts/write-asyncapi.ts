import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ASYNCAPI_FILE, asyncApiDocument } from "./asyncapi-document.ts";
import { formatText } from "./format-text.ts";

// Part of `npm run schemas`.
const file = join(import.meta.dirname, "..", ASYNCAPI_FILE);
await writeFile(file, await formatText("asyncapi.json", JSON.stringify(asyncApiDocument())));
