import { expect } from "chai";
import { readHistory } from "../session/read-history.ts";
import type { NumberedEvent } from "../session/session-message.ts";

const status = (seq: number, type: "session.status" | "session.completed" = "session.status") => ({
  type,
  seq,
  session_id: "a",
  status: "in_progress",
  timestamp: "2026-01-01T00:00:00Z",
});

/** An api with these events, in pages of two; it notes what it was asked for. */
function apiWith(stored: readonly { readonly seq: number; readonly type: string }[]) {
  const asked: number[] = [];
  const taken: NumberedEvent[] = [];
  const readPage = (afterSeq: number) => {
    asked.push(afterSeq);
    const rest = stored.filter(({ seq }) => seq > afterSeq);
    return Promise.resolve({ events: rest.slice(0, 2), has_more: rest.length > 2 });
  };
  const onEvents = (events: readonly NumberedEvent[]) => taken.push(...events);
  return { asked, options: { afterSeq: 0, readPage, onEvents }, seqs: () => taken.map(({ seq }) => seq) };
}

describe("readHistory(options)", () => {
  it("reads every page of a session that runs", async () => {
    const { asked, options, seqs } = apiWith([1, 2, 3, 4, 5].map((seq) => status(seq)));
    await readHistory(options);
    expect(seqs()).to.deep.equal([1, 2, 3, 4, 5]);
    expect(asked).to.deep.equal([0, 2, 4]);
  });

  it("reads on behind the end of the session", async () => {
    const { asked, options, seqs } = apiWith([
      status(1),
      status(2),
      status(3, "session.completed"),
      status(4),
      status(5),
    ]);
    await readHistory(options);
    expect(seqs()).to.deep.equal([1, 2, 3, 4, 5]);
    expect(asked).to.deep.equal([0, 2, 4]);
  });

  it("leaves out events of types that it does not know, and reads on", async () => {
    const { options, seqs } = apiWith([status(1), { ...status(2), type: "later" }, status(3)]);
    await readHistory(options);
    expect(seqs()).to.deep.equal([1, 3]);
  });

  it("throws what a request throws, after the events of the pages before", async () => {
    const { options, seqs } = apiWith([1, 2, 3].map((seq) => status(seq)));
    const readPage = async (afterSeq: number) => {
      if (afterSeq > 0) throw new Error("no answer");
      return options.readPage(afterSeq);
    };
    let problem: unknown;
    await readHistory({ ...options, readPage }).catch((error: unknown) => (problem = error));
    expect(problem).to.be.an("error").with.property("message", "no answer");
    expect(seqs()).to.deep.equal([1, 2]);
  });

  it("is content with no answer body", async () => {
    const { options, seqs } = apiWith([]);
    await readHistory({ ...options, readPage: () => Promise.resolve(undefined) });
    expect(seqs()).to.deep.equal([]);
  });
});
