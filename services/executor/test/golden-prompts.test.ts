import { expect } from "chai";
import { readdir, readFile } from "node:fs/promises";
import { GOLDEN_PROMPTS } from "./golden-prompts.ts";

const DIRECTORY = new URL("golden/", import.meta.url);

describe("the prompts", () => {
  for (const [name, text] of Object.entries(GOLDEN_PROMPTS)) {
    it(`equal golden/${name} byte for byte`, async () => {
      expect(text).to.equal(await readFile(new URL(name, DIRECTORY), "utf8"));
    });
  }

  it("have one golden file each, and there is no other file", async () => {
    expect((await readdir(DIRECTORY)).toSorted()).to.deep.equal(Object.keys(GOLDEN_PROMPTS).toSorted());
  });
});
