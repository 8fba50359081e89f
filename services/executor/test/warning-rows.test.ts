import { expect } from "chai";
import { warningRows } from "../llm/reply-rows.ts";

const LEFT_OUT = { code: "tools_left_out", message: "tools that are not offered to the model: a.b\0" };
const DIFFERS = { code: "provider_differs", message: "provider x differs" };

describe("warningRows", () => {
  it("shows each warning of an execution once, Postgres-safe", () => {
    const first = warningRows({ warnings: [LEFT_OUT, DIFFERS, DIFFERS] });
    expect(first.isDegraded).to.equal(true);
    expect(first.rows).to.deep.equal([
      {
        type: "error",
        content: "LLM warning: tools that are not offered to the model: a.b\uFFFD (code: tools_left_out)",
        metadata: { warning: "tools_left_out" },
      },
      {
        type: "error",
        content: "LLM warning: provider x differs (code: provider_differs)",
        metadata: { warning: "provider_differs" },
      },
    ]);
    const second = warningRows({ warnings: [DIFFERS, LEFT_OUT] }, first.shown);
    expect(second).to.deep.equal({ rows: [], shown: first.shown, isDegraded: false });
  });

  it("degrades a session for missing tools only", () => {
    expect(warningRows({ warnings: [DIFFERS] }).isDegraded).to.equal(false);
  });

  it("is bounded", () => {
    const warnings = Array.from({ length: 100 }, (_, index) => ({ code: "x", message: String(index) }));
    expect(warningRows({ warnings }).rows).to.have.length(20);
  });
});
