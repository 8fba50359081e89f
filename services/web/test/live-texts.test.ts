import { expect } from "chai";
import { StreamedText } from "#shared/client/streamed-text.ts";
import { LiveTexts, type TextTarget } from "../session/live-texts.ts";

/** A text node as far as it is needed, and how often it was appended to. */
class Target implements TextTarget {
  data = "";
  appended = 0;
  appendData(text: string): void {
    this.data += text;
    this.appended += 1;
  }
}

describe("the live texts", () => {
  let text: StreamedText;
  let live: LiveTexts;
  let target: Target;

  beforeEach(() => {
    text = new StreamedText();
    live = new LiveTexts((id) => (id === "a" ? text : undefined));
    target = new Target();
  });

  it("append once per frame what came since the last one", () => {
    live.show("a", target);
    text.add(1, 0, "one ");
    text.add(1, 4, "two ");
    expect(live.flush()).to.equal(true);
    text.add(1, 8, "three");
    live.flush();
    expect(live.flush()).to.equal(false);
    expect(target).to.include({ data: "one two three", appended: 2 });
  });

  it("begin with what was streamed before the text was shown", () => {
    text.add(1, 0, "before");
    live.show("a", target);
    expect(target.data).to.equal("before");
  });

  it("begin anew with a new attempt", () => {
    live.show("a", target);
    text.add(1, 0, "wrong");
    live.flush();
    text.add(2, 0, "right");
    live.flush();
    expect(target.data).to.equal("right");
  });

  it("keep what is shown while a reconnect repeats the text from its beginning", () => {
    live.show("a", target);
    text.add(1, 0, "one two");
    live.flush();
    text.add(1, 0, "one");
    live.flush();
    expect(target.data).to.equal("one two");
    text.add(1, 3, " two three");
    live.flush();
    expect(target.data).to.equal("one two three");
  });

  it("show controls by name without losing the place in the text", () => {
    live.show("a", target);
    text.add(1, 0, "a\u202Eb");
    live.flush();
    text.add(1, 3, "c");
    live.flush();
    expect(target.data).to.equal("a<U+202E>bc");
  });

  it("leave a target alone that is not shown any more", () => {
    live.show("a", target)();
    text.add(1, 0, "late");
    live.flush();
    expect(target.data).to.equal("");
  });
});
