import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { MUTATIONS } from "./mutations.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("the mutations of npm run test:faults:mutants", () => {
  // A rename in the code must not silently disable a mutation.
  for (const { name, file, original } of MUTATIONS) {
    it(`match the code exactly once: ${name}`, async () => {
      const text = await readFile(join(ROOT, file), "utf8");
      expect(text.split(original).length - 1, `occurrences in ${file} of: ${original}`).to.equal(1);
    });
  }
});
