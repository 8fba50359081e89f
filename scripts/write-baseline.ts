import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BASELINE_FILE, baselineFile, frozenBaseline } from "./baseline-file.ts";

// Part of `npm run schemas`. Once 0.1.0 is released, each change of the schema is a migration.
const root = join(import.meta.dirname, "..");
if ((await frozenBaseline(root)) === undefined) await writeFile(join(root, BASELINE_FILE), baselineFile());
