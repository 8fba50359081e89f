import { text } from "node:stream/consumers";
import { expect } from "chai";
import { eventLines } from "../google-native/event-lines.ts";

async function through(maxBytes: number, ...pieces: string[]): Promise<string> {
  const source = ReadableStream.from(pieces.map((piece) => Buffer.from(piece)));
  return text(source.pipeThrough(eventLines(maxBytes)));
}

describe("eventLines", () => {
  it("counts each event anew, whatever ends its lines and wherever the stream is cut", async () => {
    for (const end of ["\n", "\r\n"]) {
      const event = `data: 0123456789${end}${end}`;
      expect(await through(30, ...Array.from({ length: 10 }, () => event))).to.equal(event.repeat(10));
      expect(await through(30, ...event.repeat(10).split(""))).to.equal(event.repeat(10));
    }
  });

  it("fails an event that outgrows the limit", async () => {
    for (const piece of ["data: 0123456789\r\n", "data: 0123456789", ": 0123456789\n"]) {
      const failure = await through(30, piece, piece, piece).catch((error: unknown) => error);
      expect(failure).to.be.an("error").with.property("message").that.includes("more than 30 bytes");
    }
  });

  it("drops what holds no data and passes the rest as it is, also a last line without an end", async () => {
    expect(await through(99, ": a\nevent: b\nid\nretry:1\ndata: c\n\nidle: d\n{\n}")).to.equal(
      "data: c\n\nidle: d\n{\n}",
    );
  });
});
