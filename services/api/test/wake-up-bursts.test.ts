import { expect } from "chai";
import type { WakeUp } from "#shared/contracts/wake-up-queue.ts";
import { until } from "../../../test/support/until.ts";
import { WakeUpBursts } from "../wake-up-bursts.ts";

describe("bursts of wake-ups", () => {
  const wakeUp = (sessionId: string): WakeUp => ({ sessionId, lane: "normal" });

  it("send the first one at once and what follows together, each once and in order", async () => {
    const sent: string[][] = [];
    const bursts = new WakeUpBursts((wakeUps) => sent.push(wakeUps.map(({ sessionId }) => sessionId)));
    bursts.add(wakeUp("a"));
    expect(sent, "answers that are being written go first").to.deep.equal([]);
    await until("the first one is sent", () => sent.length === 1);
    for (const id of ["b", "c", "d"]) bursts.add(wakeUp(id));
    await until("the next ones are sent", () => sent.length === 2);
    for (const id of ["e", "f"]) bursts.add(wakeUp(id));
    await until("those behind a burst of several are sent", () => sent.length === 3);
    expect(sent).to.deep.equal([["a"], ["b", "c", "d"], ["e", "f"]]);
  });

  it("are sent before the end of the process", () => {
    const sent: string[] = [];
    const bursts = new WakeUpBursts((wakeUps) => sent.push(...wakeUps.map(({ sessionId }) => sessionId)));
    bursts.add(wakeUp("a"));
    bursts.flush();
    expect(sent).to.deep.equal(["a"]);
  });
});
