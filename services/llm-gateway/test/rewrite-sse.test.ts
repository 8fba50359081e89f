import { expect } from "chai";
import { rewriteSse } from "../providers/langchain/response/rewrite-sse.ts";
import type { SseEvent } from "../sse/parse-sse.ts";

/** The rewritten stream, and the events that the repair received. */
async function pass(pieces: readonly (string | Uint8Array)[], maxBytes = 1_000) {
  const seen: SseEvent[] = [];
  let heard = 0;
  const stream = rewriteSse(
    (event) => {
      seen.push(event);
      return [event];
    },
    maxBytes,
    () => (heard += 1),
  );
  const read = new Response(stream.readable).text();
  const writer = stream.writable.getWriter();
  const write = async () => {
    for (const piece of pieces) await writer.write(typeof piece === "string" ? Buffer.from(piece) : piece);
    await writer.close();
  };
  const [text] = await Promise.all([read, write()]);
  return { text, seen, heard };
}

const one = (data: string, name?: string) => ({ name, data });

describe("rewriteSse", () => {
  it("finds events however their bytes and lines are split", async () => {
    const whole =
      'event: a\r\ndata: {"x":"💾"}\r\n\r\ndata:b\n\n: comment\n\nid: 7\nretry: 1\ndata: c\ndata: d\n\n';
    const bytes = Buffer.from(whole);
    const expected = [one('{"x":"💾"}', "a"), one("b"), one("c\nd")];
    expect((await pass([whole])).seen).to.deep.equal(expected);
    expect((await pass([...bytes].map((byte) => Buffer.from([byte])))).seen).to.deep.equal(expected);
  });

  it("writes events that any parser accepts", async () => {
    const { text } = await pass(["\uFEFFevent:a\ndata:x\ndata:y\n\n"]);
    expect(text).to.equal("event: a\ndata: x\ndata: y\n\n");
  });

  it("passes on an incomplete event at the end", async () => {
    expect((await pass(['data: {"half'])).seen).to.deep.equal([one('{"half')]);
  });

  it("fails once an event or a line is too large, but not for many small ones", async () => {
    const small = "data: 0123456789\n\n";
    expect((await pass([small.repeat(1_000)])).seen).to.have.length(1_000);
    for (const large of [`data: ${"x".repeat(2_000)}`, "data: x\n".repeat(500)]) {
      try {
        await pass([large]);
        expect.fail("it passed");
      } catch (error) {
        expect(error).to.include({ code: "provider_error" });
      }
    }
  });
});
