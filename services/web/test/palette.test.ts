import { expect } from "chai";
import { keyParts } from "../help/key-text.ts";
import { actionItems, idItem, screenItems } from "../palette/palette-items.ts";

const ID = "01a2085d-8ea9-7324-8f87-ac8b15fa1ad5";

describe("screenItems(text, path)", () => {
  const urls = (text: string, path: string) => screenItems(text, path).map(({ url }) => url);

  it("has every screen but the present one, those of the present session first", () => {
    expect(urls("", "/")).to.deep.equal(
      "/triage /handover /new /usage /memories /compare /system".split(" "),
    );
    expect(urls("", `/s/${ID}`)).to.deep.equal([
      `/s/${ID}/trace`,
      `/compare/${ID}`,
      "/",
      "/triage",
      "/handover",
      "/new",
      "/usage",
      "/memories",
      "/compare",
      "/system",
    ]);
    expect(urls("", `/s/${ID}/trace`)[0]).to.equal(`/s/${ID}`);
  });

  it("finds screens by parts of their names in any order", () => {
    expect(urls("alert new", "/")).to.deep.equal(["/new"]);
    expect(urls("S", "/new")).to.deep.equal(["/", "/usage", "/memories", "/compare", "/system"]);
    expect(urls("nothing", "/")).to.deep.equal([]);
  });
});

describe("actionItems(text, shown)", () => {
  it("has what the keys of the screen do, by parts of its words", () => {
    const shown = [
      { y: ["Copy the link", () => undefined], "Mod+k": ["Copy all", () => undefined] },
      { x: ["Cancel the session", () => undefined] },
    ] as const;
    const texts = (text: string) => actionItems(text, shown).map((item) => item.text);
    expect(texts("cop")).to.deep.equal(["Copy the link"]);
    expect(texts("session cancel")).to.deep.equal(["Cancel the session"]);
    expect(texts(" ")).to.deep.equal([]);
  });
});

describe("idItem(text)", () => {
  it("leads to the session that a text or an address names", () => {
    expect(idItem(` ${ID.toUpperCase()}`)?.url).to.equal(`/s/${ID}`);
    expect(idItem(`https://tarsy.example/s/${ID}/trace?row=1`)?.url).to.equal(`/s/${ID}`);
    expect(idItem(ID.slice(0, 30))).to.equal(undefined);
  });
});

describe("keyParts(key, isMac)", () => {
  it("names keys as the keyboard does", () => {
    expect(keyParts("Mod+k", false)).to.deep.equal(["Ctrl", "K"]);
    expect(keyParts("Mod+k", true)).to.deep.equal(["⌘", "K"]);
    expect(keyParts("Escape", false)).to.deep.equal(["Esc"]);
    expect(keyParts("/", false)).to.deep.equal(["/"]);
  });
});
