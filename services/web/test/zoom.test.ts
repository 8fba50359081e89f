import { expect } from "chai";
import { barGeometry } from "../screens/trace/bar-geometry.ts";
import { timeScale, zoomScale } from "../screens/trace/time-scale.ts";
import { movedZoom, scaledZoom, zoomOf, zoomText } from "../screens/trace/zoom.ts";

const span = (start: number, end: number) => ({ start, end });

describe("the part of the time that a trace shows", () => {
  it("comes back from the address as it was put into it", () => {
    expect(zoomOf(zoomText(span(1_200.4, 3_400), 9_000))).to.deep.equal(span(1_200, 3_400));
    for (const text of ["", "a-b", "5-4", "7-7", "1-2-3", "-1-5", "1e3-2e3"]) {
      expect(zoomOf(text), text).to.equal(undefined);
    }
  });

  it("stays within the time, is never too short, and is not named where it is all of it", () => {
    expect(zoomText(span(-500, 9_500), 9_000)).to.equal(undefined);
    expect(zoomText(span(8_000, 12_000), 9_000)).to.equal("8000-9000");
    expect(zoomText(span(8_999, 8_999), 9_000)).to.equal("8995-9000");
    expect(zoomText(span(100, 100), 9_000)).to.equal("100-105");
    expect(movedZoom(span(8_000, 9_000), 0.25, 9_000)).to.deep.equal(span(8_000, 9_000));
    expect(movedZoom(span(100, 1_100), -0.25, 9_000)).to.deep.equal(span(0, 1_000));
    expect(scaledZoom(span(2_000, 4_000), 0.5)).to.deep.equal(span(2_500, 3_500));
  });

  it("takes the whole axis, whatever is shortened", () => {
    const whole = timeScale([span(0, 10_000), span(3_600_000, 3_610_000)], { collapsesIdle: true });
    const scale = zoomScale(whole, span(5_000, 3_605_000));
    expect([0, 5_000, 3_605_000, 3_610_000].map(scale.position)).to.deep.equal([0, 0, 1, 1]);
    expect(scale.gaps).to.have.length(1);
    expect(scale.position(7_500)).to.be.within(0.2, 0.3);
    expect(scale.timeAt(scale.position(7_500))).to.be.closeTo(7_500, 1e-6);
    expect(scale.ticks[0]?.ms).to.be.closeTo(5_000, 1e-6);
    expect(zoomScale(whole, span(11_000, 11_000))).to.equal(whole);
  });

  it("has no bars of what lies outside", () => {
    const figures = { calls: 1, failures: 0, tokens: 0, usd: 0, unpriced: 0 };
    const row = (key: string, start: number, end: number) => ({
      key,
      kind: "mcp" as const,
      depth: 2 as const,
      title: key,
      detail: "",
      status: "completed",
      isFailed: false,
      start,
      end,
      segments: [{ kind: "tool" as const, start, end }],
      figures,
    });
    const rows = [row("a", 1_000, 2_000), row("b", 3_000, 5_000), row("c", 8_000, 9_000)];
    const { bars } = barGeometry(rows, { measure: "time", collapsesIdle: false, zoom: span(2_000, 6_000) });
    expect(bars).to.deep.equal([[], [{ kind: "tool", left: 0, width: 0.5 }], []]);
  });
});
