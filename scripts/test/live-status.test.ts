import { expect } from "chai";
import { until } from "../../test/support/until.ts";
import { LiveStatus } from "../tarsy/live-status.ts";
import { terminalStyle } from "../tarsy/terminal/terminal-style.ts";

const terminal = (written: string[]) => ({
  write: (text: string) => void written.push(text),
  warn: () => undefined,
  style: terminalStyle(false),
  isTerminal: true,
  isInteractive: false,
  columns: 80,
});

describe("LiveStatus", () => {
  it("shows what is done also below a text that stopped in the middle of a line", async () => {
    const written: string[] = [];
    using status = new LiveStatus(terminal(written), 0);
    status.write("keeps 38 GiB | nobo");
    status.set("analysis");
    await until("the status is shown", () => written.at(-1)?.includes("… analysis, "));
    expect(written[0]).to.equal("keeps 38 GiB | nobo");
    expect(written[1]).to.equal("\n");
  });

  it("leaves a text alone that goes on", async () => {
    const written: string[] = [];
    using status = new LiveStatus(terminal(written), 3_600_000);
    status.set("analysis");
    status.write("in the middle");
    const length = written.length;
    using other = new LiveStatus(terminal(written), 0);
    other.set("a second later");
    await until(
      "another status was drawn again",
      () => written.filter((text) => text.includes("second later")).length > 1,
    );
    expect(written.slice(length).filter((text) => !text.includes("second later"))).to.deep.equal([]);
  });
});
