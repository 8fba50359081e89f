import { expect } from "chai";
import { dayText, fullTimeText, timeText, zoneName } from "../time-text.ts";

const NOW = Date.parse("2026-11-27T13:35:29Z");

describe("times for people", () => {
  it("have the clock today, the day before that, and the year in other years", () => {
    const shown = (time: string) => timeText(Date.parse(time), NOW, "utc");
    expect(shown("2026-11-27T00:05:00Z")).to.equal("00:05");
    expect(shown("2026-11-26T23:59:00Z")).to.equal("Nov 26, 23:59");
    expect(shown("2025-11-27T13:35:00Z")).to.equal("Nov 27, 2025, 13:35");
  });

  it("name their zone where they are exact", () => {
    expect(fullTimeText(NOW, "utc")).to.equal("Nov 27, 2026, 13:35:29 UTC");
    expect(zoneName(NOW, "utc")).to.equal("UTC");
    expect(zoneName(NOW, "local")).to.not.equal("");
  });

  it("are days of UTC without a clock", () => {
    expect(dayText("2026-11-26")).to.equal("Nov 26");
  });
});
