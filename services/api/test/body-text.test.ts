import { expect } from "chai";
import { bodyText, readContentType } from "../http/body-text.ts";

const ALERT = '{"title":"Platte läuft voll"}';
const textOf = (bytes: Buffer, type: string) => bodyText({ bytes, ...readContentType(type) });

describe("the text of a body", () => {
  it("is UTF-8 however its charset is written", () => {
    for (const charset of ["utf-8", "UTF8", '"utf-8"', "'utf-8'", "utf_8"]) {
      const text = textOf(Buffer.from(ALERT), `application/json; charset=${charset}`);
      expect(text, charset).to.equal(ALERT);
    }
  });

  it("is UTF-8 if it is said to be UTF-16 and has no zero byte", () => {
    expect(textOf(Buffer.from(ALERT), "application/json; charset=utf-16")).to.equal(ALERT);
    const wide = Buffer.from(ALERT, "utf16le");
    expect(textOf(wide, "application/json; charset=utf-16")).to.equal(ALERT);
  });
});
