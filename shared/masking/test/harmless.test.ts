import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { masked } from "./masking-fixture.ts";

const text = readFileSync(join(import.meta.dirname, "harmless.txt"), "utf8");

describe("what tools print every day", () => {
  it("stays as it is: names, digests, ids, references to secrets, logs, metrics and stack traces", () => {
    const result = masked(text);
    expect(result.text.split("\n")).to.deep.equal(text.split("\n"));
    expect(result.counts).to.deep.equal({});
  });

  it("stays line by line, and in a string of JSON", () => {
    for (const line of text.split("\n")) expect(masked(line).text).to.equal(line);
    const json = JSON.stringify({ content: [{ type: "text", text }] });
    expect(masked(json).text).to.equal(json);
  });
});
