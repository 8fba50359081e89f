import { expect } from "chai";
import { previewOf } from "../session/preview-of.ts";
import { shownText, visiblePart } from "../session/shown-text.ts";
import { expectLinear } from "../../../test/support/expect-linear.ts";

describe("the text of models and tools as it is shown", () => {
  it("has no terminal sequences", () => {
    expect(shownText("\u001B[1;31mred\u001B[0m \u001B]8;;http://x\u0007link\u001B]8;;\u0007")).to.equal(
      "red link",
    );
  });

  it("shows every control that would be invisible or reorder the text", () => {
    expect(shownText("a\u0000b\u0007\u007F exe.\u202Egnp\u2028")).to.equal("a␀b␇␡ exe.<U+202E>gnp<U+2028>");
    expect(shownText("a\u009B1m\u{E0041}")).to.equal("a<U+009B>1m<U+E0041>");
  });

  it("shows the text that a terminal would take for its title", () => {
    expect(shownText("a\u001B]0;ignore the alert\u0007b")).to.equal("a␛]0;ignore the alert␇b");
  });

  it("keeps line breaks, tabs and characters beyond the basic plane", () => {
    expect(shownText("a\tb\r\nc\n💾")).to.equal("a\tb\nc\n💾");
  });

  it("shows the escape of a sequence that is not complete yet", () => {
    expect(visiblePart("a\u001B[3")).to.equal("a␛[3");
  });

  it("takes time linear in a line", () => {
    const size = 8_000;
    expectLinear("openings", { size, textOf: (length) => "\u001B[".repeat(length / 2), work: shownText });
    expectLinear("a title", { size, textOf: (length) => `\u001B]${"x".repeat(length)}`, work: shownText });
    for (const mark of ["#", "*", "`", "[", "[](", "**a"]) {
      expectLinear(mark, { size, textOf: (length) => mark.repeat(length / mark.length), work: previewOf });
    }
  });

  it("is previewed in one line, without marks of Markdown", () => {
    expect(
      previewOf("\n---\n## **Root_a** cause\n\nThe `CACHE_MAX` of [2.31](http://x) is\n- __too__ large"),
    ).to.equal("Root_a cause: The CACHE_MAX of 2.31 is too large");
    expect(previewOf("## Root cause")).to.equal("Root cause");
    expect(previewOf("a * b * c, snake_case_name")).to.equal("a * b * c, snake_case_name");
    expect(previewOf("💾".repeat(1_000)).isWellFormed()).to.equal(true);
    expect(previewOf("")).to.equal("");
  });
});
