import { writeFile } from "node:fs/promises";
import { GOLDEN_PROMPTS } from "./golden-prompts.ts";

// Run by hand after an intended change, then review the diff: node services/executor/test/write-golden.ts
await Promise.all(
  Object.entries(GOLDEN_PROMPTS).map(([name, text]) =>
    writeFile(new URL(`golden/${name}`, import.meta.url), text),
  ),
);
