import { expect } from "chai";
import { findBinding, keyName, type KeyBinding } from "../keys.ts";

const binding = (text: string): KeyBinding => [text, () => undefined];

describe("findBinding(all, name, isTyping)", () => {
  it("lets the binding that was added last win", () => {
    const found = findBinding([{ j: binding("first") }, { j: binding("second") }, {}], "j", false);
    expect(found?.[0]).to.equal("second");
  });

  it("leaves single keys to a text field, but not Escape and combinations", () => {
    const all = [{ j: binding("next"), Escape: binding("close"), "Mod+k": binding("palette") }];
    expect(findBinding(all, "j", true)).to.equal(undefined);
    expect(findBinding(all, "Escape", true)?.[0]).to.equal("close");
    expect(findBinding(all, "Mod+k", true)?.[0]).to.equal("palette");
  });

  it("finds nothing under the names that every object has", () => {
    expect(findBinding([{}], "constructor", false)).to.equal(undefined);
  });
});

describe("keyName(event)", () => {
  const press = { key: "K", ctrlKey: false, metaKey: false, altKey: false };

  it("names Ctrl and ⌘ alike, and leaves Alt to the browser", () => {
    expect(keyName({ ...press, ctrlKey: true })).to.equal("Mod+k");
    expect(keyName({ ...press, metaKey: true })).to.equal("Mod+k");
    expect(keyName({ ...press, altKey: true })).to.equal(undefined);
    expect(keyName(press)).to.equal("K");
  });
});
