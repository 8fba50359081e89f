import { expect } from "chai";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";

describe("postgresSafeText", () => {
  it("does not change a text that Postgres accepts", () => {
    for (const text of ["", "plain", "émoji 💾", "\u0001\u001f\u007f", "\uFFFD"]) {
      expect(postgresSafeText(text)).to.deep.equal({ text, changed: false });
    }
  });

  it("replaces NUL and lone surrogates, each by one code unit", () => {
    expect(postgresSafeText("a\0b")).to.deep.equal({ text: "a\uFFFDb", changed: true });
    expect(postgresSafeText("\ud83d")).to.deep.equal({ text: "\uFFFD", changed: true });
    expect(postgresSafeText("\udcbe\ud83d")).to.deep.equal({ text: "\uFFFD\uFFFD", changed: true });
    expect(postgresSafeText("\ud83d\ud83d\udcbe")).to.deep.equal({ text: "\uFFFD💾", changed: true });
  });

  it("gives the same for a text in pieces as for the whole, at the same offsets", () => {
    const pieces = ["a\0", "\ud800b", "💾", "\0\0"];
    const whole = pieces.join("");
    expect(pieces.map((piece) => postgresSafeText(piece).text).join("")).to.equal(
      postgresSafeText(whole).text,
    );
    expect(postgresSafeText(whole).text).to.have.length(whole.length);
  });
});
