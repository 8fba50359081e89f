import { expect } from "chai";
import { readLessons } from "../features/memories/read-lessons.ts";
import { MAX_LESSONS } from "../prompts/build-reflection-messages.ts";

const A = "0199f0a0-0000-7000-8000-00000000000a";
const B = "0199f0a0-0000-7000-8000-00000000000b";
const note = (content: string) => ({ content, category: "semantic", valence: "neutral" });
const NOTHING = { create: [], reinforce: [], deprecate: [] };

describe("readLessons", () => {
  it("reads the object in a reply, with or without text around it", () => {
    const text = JSON.stringify({ create: [note(" one ")], reinforce: [{ memory_id: A }], more: 1 });
    for (const reply of [text, `Here:\n\`\`\`json\n${text}\n\`\`\``]) {
      expect(readLessons(reply, [A])).to.deep.equal({
        ...NOTHING,
        create: [note("one")],
        reinforce: [A],
      });
    }
  });

  it("takes what it cannot read for nothing", () => {
    for (const reply of [
      "",
      "nothing to learn",
      "} {",
      "{",
      "[]",
      '{"create": "x"}',
      '{"create": [{"content": "x"}]}',
      JSON.stringify({ create: [{ ...note("x"), category: "order" }] }),
    ]) {
      expect(readLessons(reply, [A]), reply).to.deep.equal(NOTHING);
    }
  });

  it("changes shown memories only, and deprecates what is named for both", () => {
    const both = [{ memory_id: A }, { memory_id: B }];
    const reply = JSON.stringify({ reinforce: both, deprecate: [{ memory_id: A, reason: "wrong" }] });
    expect(readLessons(reply, [A])).to.deep.equal({ ...NOTHING, deprecate: [A] });
    expect(readLessons(reply, [])).to.deep.equal(NOTHING);
  });

  it("limits how many there are and how long they are", () => {
    const create = Array.from({ length: 30 }, () => note("x".repeat(5_000)));
    const { create: read } = readLessons(JSON.stringify({ create: [note(" "), ...create] }), []);
    expect(read).to.have.length(MAX_LESSONS - 1);
    expect(read[0]?.content).to.have.length(2_000);
  });
});
