import { expect } from "chai";
import { ChunkPacer } from "../feed/chunk-pacer.ts";
import { LiveTextBuffer } from "../feed/live-text-buffer.ts";

describe("LiveTextBuffer", () => {
  it("requests no more text once it is cleared", async () => {
    let requests = 0;
    const buffer = new LiveTextBuffer({
      sessionId: "session",
      emit: () => undefined,
      pacer: new ChunkPacer(),
      ask: (_eventId, offset) => {
        requests += 1;
        if (requests === 3) buffer.clear();
        return Promise.resolve({ attempt: 1, offset, text: "x", length: 1_000, repeated: false });
      },
    });
    buffer.open("event");
    buffer.refresh();
    // Each request takes a few microtasks, and all of those run before the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    expect(requests).to.equal(3);
  });
});
