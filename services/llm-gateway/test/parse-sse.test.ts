import { expect } from "chai";
import { parseSse } from "../sse/parse-sse.ts";

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** The data of all events of a stream that arrives in pieces of `size` bytes; by default in one piece. */
async function events(stream: string | Uint8Array, size = 1_000_000, maxLength = 1_000): Promise<string[]> {
  const all: string[] = [];
  const body = ReadableStream.from(cut(Buffer.from(stream), size));
  for await (const event of parseSse(() => Promise.resolve(body), maxLength)) all.push(event.data);
  return all;
}

describe("parseSse", () => {
  for (const [what, stream, expected] of [
    ["lines that end in LF", "data: a\n\ndata: b\n\n", ["a", "b"]],
    ["lines that end in CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
    ["lines that end in CR", "data: a\r\rdata: b\r\r", ["a", "b"]],
    ["lines that end in all three", "data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\r\n", ["a\nb\nc", "d"]],
    ["several data lines of one event, joined", 'data: {"a":\ndata:1\ndata\ndata: }\n\n', ['{"a":\n1\n\n}']],
    [
      "comments and other fields, passed over",
      ": hello\n\nevent: x\nid: 1\ndata: a\nretry: 5\n:\n\n: bye\n\n",
      ["a"],
    ],
    ["a byte order mark, taken off", "\uFEFFdata: a\n\n", ["a"]],
    ["a last event without a blank line", "data: a\n\ndata: b\n", ["a", "b"]],
    ["a last line without an end", "data: a\n\ndata: b", ["a", "b"]],
    ["exactly one space taken off", "data:a\n\ndata:  b \n\n", ["a", " b "]],
    ["characters of every length in UTF-8", "data: aé€🔥\n\n", ["aé€🔥"]],
    ["bare JSON between the events", 'data: a\n\n{\n  "error": {}\n}\n\n', ["a", '{\n  "error": {}\n}']],
    ["events without data, passed over", "event: ping\n\nunknown: 1\n\ndatum: 2\n\n\n\n", []],
    ["an empty stream", "", []],
  ] as const) {
    it(`reads ${what}, however the stream is cut`, async () => {
      for (const size of [1, 2, 3, 5, 1_000_000]) {
        expect(await events(stream, size), `in pieces of ${size}`).to.deep.equal(expected);
      }
    });
  }

  it("applies the limit to each event separately", async () => {
    const stream = "data: 0123456789\r\n\r\n".repeat(10);
    expect(await events(stream, 7, 30)).to.have.length(10);
  });

  it("fails for an event, a line or a comment over the limit", async () => {
    for (const stream of ["data: 0123456789\n".repeat(4), `data: ${"x".repeat(40)}`, `: ${"x".repeat(40)}`]) {
      const failure = await events(stream, 7, 30).catch((error: unknown) => error);
      expect(failure).to.be.an("error").with.property("message").that.includes("more than 30 characters");
    }
  });

  it("fails for bytes that are not UTF-8, also at the end", async () => {
    for (const bytes of [Buffer.from([0xff, 0x0a, 0x0a]), Buffer.from("data: é").subarray(0, -1)]) {
      const failure = await events(bytes).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(TypeError);
    }
  });

  it("cancels the body when the reader leaves early", async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from("data: a\n\ndata: b\n\n")),
      cancel: () => void (isCancelled = true),
    });
    for await (const event of parseSse(() => Promise.resolve(body), 1_000)) {
      expect(event.data).to.equal("a");
      break;
    }
    expect(isCancelled).to.equal(true);
  });
});
