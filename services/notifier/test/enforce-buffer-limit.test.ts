import { expect } from "chai";
import { boundBuffers } from "../outbox/enforce-buffer-limit.ts";

describe("boundBuffers", () => {
  const clients = (...bytes: readonly number[]) => {
    const cut: number[] = [];
    const list = bytes.map((bufferedBytes) => ({
      outbox: { bufferedBytes, cutOff: () => void cut.push(bufferedBytes) },
    }));
    return { list, cut };
  };

  it("leaves everybody alone up to the limit, and returns the sum", () => {
    const { list, cut } = clients(10, 0, 20);
    expect(boundBuffers(list, 30)).to.equal(30);
    expect(cut).to.deep.equal([]);
  });

  it("closes those with the most until the rest is below the limit", () => {
    const { list, cut } = clients(10, 50, 20, 40);
    expect(boundBuffers(list, 35)).to.equal(120);
    expect(cut).to.deep.equal([50, 40]);
  });
});
