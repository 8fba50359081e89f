import { expect } from "chai";
import { ageText, countText, durationText, momentText, moneyText } from "../parts/format.ts";

describe("durationText(ms)", () => {
  it("shows the two largest units", () => {
    const texts = [0, 340, 1_540, 9_990, 59_999, 60_000, 200_000, 7_500_000, 356_400_000].map(durationText);
    expect(texts).to.deep.equal([
      "0 ms",
      "340 ms",
      "1.5 s",
      "9.9 s",
      "59 s",
      "1 min",
      "3 min 20 s",
      "2 h 5 min",
      "4 d 3 h",
    ]);
  });

  it("shows no negative duration where clocks differ", () => {
    expect(durationText(-500)).to.equal("0 ms");
  });
});

describe("ageText(ms)", () => {
  it("shows one unit", () => {
    const texts = [-4_000, 12_000, 90_000, 3_600_000, 200_000_000].map(ageText);
    expect(texts).to.deep.equal(["just now", "12 s ago", "1 min ago", "1 h ago", "2 d ago"]);
  });
});

describe("momentText(time, now)", () => {
  const NOW = new Date(2026, 10, 23, 14, 2).getTime();
  const before = (minutes: number) => momentText(NOW - minutes * 60_000, NOW);

  it("has the reader's clock, then the day, then the year", () => {
    expect(before(3)).to.equal("13:59 · 3 min ago");
    expect(before(20 * 60)).to.equal("Nov 22, 18:02 · 20 h ago");
    expect(before(26 * 60)).to.equal("Nov 22, 12:02");
    expect(before(400 * 24 * 60)).to.match(/^Oct 19, 2025, 1[3-5]:02$/u);
  });

  it("has no age for a time to come", () => {
    expect(before(-30)).to.equal("14:32");
  });
});

describe("countText(count)", () => {
  it("takes at most four characters below ten million", () => {
    const texts = [0, 999, 1_000, 1_240, 9_960, 38_400, 999_499, 999_500, 1_440_000].map(countText);
    expect(texts).to.deep.equal(["0", "999", "1k", "1.2k", "10k", "38k", "999k", "1M", "1.4M"]);
  });
});

describe("moneyText(usd)", () => {
  it("keeps two significant digits of small sums", () => {
    const texts = [0, 12.345, 0.1, 0.0421, 0.00042, 0.0000001].map(moneyText);
    expect(texts).to.deep.equal(["$0", "$12.35", "$0.10", "$0.042", "$0.00042", "$0.00000010"]);
  });
});
