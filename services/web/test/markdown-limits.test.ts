import { expect } from "chai";
import { markdownTree } from "../parts/markdown-tree.ts";

const UNITS = 100_000;

describe("the limits of markdownTree(source)", () => {
  // Without a limit each of these takes seconds to minutes, memory without end, or more stack than there is.
  const costly: Readonly<Record<string, string>> = {
    quotes: ">".repeat(UNITS),
    "quotes within quotes": `${"> ".repeat(UNITS / 2)}x`,
    lists: `${"- ".repeat(UNITS / 2)}x`,
    "numbered lists": "1. ".repeat(UNITS / 3),
    "emphasis that opens": "*a **b ".repeat(UNITS / 14) + "b** a*".repeat(UNITS / 14),
    "quotes that go on": "> a\na\n".repeat(UNITS / 6),
    "a table with short rows": `${"|a".repeat(10_000)}|\n${"|-".repeat(10_000)}|\n${"|\n".repeat(UNITS / 4)}`,
    "a table with 10,000 columns": `${"|a".repeat(10_000)}|\n${"|-".repeat(10_000)}|\n${"|1".repeat(10_000)}|\n`,
    "a list of 25,000": "- a\n".repeat(UNITS / 4),
  };
  for (const [name, text] of Object.entries(costly)) {
    it(`are below ${name}`, () => {
      expect(() => markdownTree(text)).to.throw(RangeError);
    });
  }

  it("hold for each text by itself", () => {
    expect(() => markdownTree(">".repeat(UNITS))).to.throw(RangeError);
    expect(markdownTree("> a", () => 0)).to.have.length(1);
  });

  it("are above what models write", () => {
    const section = "## Cause\n\n- **memory**\n  - of `node-7`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n";
    // The time is looked at before each step, of which a fast machine does thousands in a millisecond.
    let steps = 0;
    expect(markdownTree(section.repeat(100), () => (steps += 1) / 100)).to.have.length.greaterThan(100);
  });
});
