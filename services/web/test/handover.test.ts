import { expect } from "chai";
import { handoverMarkdown, partsOfHandover } from "../screens/handover/handover.ts";
import { listItem as item } from "./list-item.ts";

describe("handoverMarkdown(handover, origin)", () => {
  const failing = item("f", {
    alert_preview: "Queue *grows* [x](https://bad.example)",
    failing: { what: "provider", provider: "local", reason: "HTTP 500", tries: 3 },
  });
  const asks = item("a", { open_approvals: 1, labels: [{ name: "severity", value: "critical" }] });
  const done = item("d", {
    status: "completed",
    executive_summary: "# Cause\nThe disk was **full**.",
    duration_ms: 4_000,
    total_tokens: 10,
    estimated_cost_usd: 0.25,
  });
  const handover = {
    from: new Date("2026-11-26T22:00:00Z"),
    to: new Date("2026-11-27T06:00:00Z"),
    waiting: [failing, asks],
    created: [failing, done, item("r")],
    isCapped: false,
  };

  it("says what waits and fails first, then what ran, each session once, with its state, cost and conclusion", () => {
    const parts = partsOfHandover(handover).map(({ name, sessions }) => [
      name,
      ...sessions.map(({ id }) => id),
    ]);
    expect(parts).to.deep.equal([
      ["approvals", "a"],
      ["failing", "f"],
      ["running", "r"],
      ["ended", "d"],
    ]);
    const text = handoverMarkdown(handover, "https://tarsy.example.com");
    expect(text).to.match(/^# Handover .*\n\n3 investigations, \$0\.25\n\n## Open approvals\n\n- /u);
    expect(text).to.include(
      "**[Pods restart](https://tarsy.example.com/s/a)** – Needs approval, critical, $0\n",
    );
    expect(text).to.include("Failing, $0: provider 'local': HTTP 500, 3 tries\n");
    expect(text).to.include("Completed, 4 s, $0.25: Cause: The disk was full.\n");
  });

  it("keeps an alert from writing Markdown, and says that a cost is a lower bound", () => {
    const partly = { total_tokens: 5, cost_completeness: "partial" } as const;
    const markdown = (estimated_cost_usd: number) =>
      handoverMarkdown({ ...handover, created: [item("x", { ...partly, estimated_cost_usd })] }, "");
    const text = markdown(0);
    expect(text).to.include("[Queue \\*grows\\* \\[x\\](https://bad.example)](/s/f)");
    expect(text).to.include("1 investigation, no price\n");
    expect(markdown(0.5)).to.include("1 investigation, ≥ $0.50\n");
  });
});
