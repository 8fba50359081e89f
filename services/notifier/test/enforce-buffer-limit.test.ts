import { expect } from "chai";
import { enforceBufferLimit } from "../websocket/accept-clients.ts";

describe("enforceBufferLimit", () => {
  const clients = (...bytes: readonly number[]) => {
    const closed: number[] = [];
    const list = bytes.map((bufferedBytes) => ({
      outbox: { bufferedBytes, closeAsTooSlow: () => void closed.push(bufferedBytes) },
    }));
    return { list, closed };
  };

  it("closes no client up to the limit and returns the sum", () => {
    const { list, closed } = clients(10, 0, 20);
    expect(enforceBufferLimit(list, 30)).to.equal(30);
    expect(closed).to.deep.equal([]);
  });

  it("closes the clients with the most unsent bytes until the others are within the limit", () => {
    const { list, closed } = clients(10, 50, 20, 40);
    expect(enforceBufferLimit(list, 35)).to.equal(120);
    expect(closed).to.deep.equal([50, 40]);
  });
});
