import { writeFile } from "node:fs/promises";
import { GOLDEN_PROMPTS } from "./golden-prompts.ts";

// Run by hand after a wanted change, then read the difference: node services/executor/test/write-golden.ts
await Promise.all(
  Object.entries(GOLDEN_PROMPTS).map(([name, text]) =>
    writeFile(new URL(`golden/${name}`, import.meta.url), text),
  ),
);
