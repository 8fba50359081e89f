import { expect } from "chai";
import { ListReader } from "../screens/sessions/list-reader.ts";

interface Request {
  readonly signal: AbortSignal;
  readonly answer: (value: string) => void;
  readonly refuse: (why: Error) => void;
}

/** A reader whose requests are answered by the test. */
function openReader() {
  const requests: Request[] = [];
  const shown: string[] = [];
  const reader = new ListReader<string>({
    read: async (signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      requests.push({ signal, answer: resolve, refuse: reject });
      return promise;
    },
    done: (value, kind) => shown.push(`${kind}: ${value}`),
    failed: (error) => shown.push(`failed: ${String(error)}`),
  });
  return { reader, requests, shown };
}

/** Resolves once every promise that could go on has done so. */
const settled = async () => new Promise((resolve) => setImmediate(resolve));

describe("ListReader", () => {
  it("sends one request at a time, and one more for all that was asked for meanwhile", async () => {
    const { reader, requests, shown } = openReader();
    reader.refresh();
    for (let times = 0; times < 3; times += 1) reader.refresh();
    await settled();
    expect(requests).to.have.length(1);
    requests[0]?.answer("old");
    await settled();
    expect(requests).to.have.length(2);
    requests[1]?.answer("new");
    await settled();
    expect(shown).to.deep.equal(["refresh: old", "refresh: new"]);
    expect(requests).to.have.length(2);
  });

  it("shows no answer that is older than what the reader asked for", async () => {
    const { reader, requests, shown } = openReader();
    reader.refresh();
    reader.reload();
    expect(requests.map(({ signal }) => signal.aborted)).to.deep.equal([true, false]);
    requests[1]?.answer("anew");
    await settled();
    requests[0]?.answer("late");
    await settled();
    expect(shown).to.deep.equal(["reload: anew"]);
  });

  it("goes on after a request that failed, and shows nothing after its end", async () => {
    const { reader, requests, shown } = openReader();
    reader.reload();
    reader.refresh();
    requests[0]?.refuse(new Error("no answer"));
    await settled();
    expect(requests).to.have.length(2);
    reader[Symbol.dispose]();
    requests[1]?.answer("nobody waits");
    await settled();
    expect(shown).to.deep.equal(["failed: Error: no answer"]);
    expect(requests).to.have.length(2);
  });
});
