import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { ToolFixture } from "../../../test/support/tool-fixture.ts";
import { listTools, type ToolServer } from "../tools/list-tools.ts";
import { TOOL_TIMEOUTS } from "../tools/tool-timeouts.ts";

const TOOLS = {
  kubernetes: {
    get_pods: { description: "lists pods", read_only: true, parameters: '{"type":"object"}' },
    delete_pod: {},
  },
  metrics: { query: { read_only: true } },
};

describe("listTools", () => {
  let fixture: ToolFixture;
  const { signal } = new AbortController();

  before(async () => {
    fixture = await ToolFixture.start(TOOLS);
  });
  after(async () => fixture[Symbol.asyncDispose]());

  const list = async (servers: readonly ToolServer[], timeouts = TOOL_TIMEOUTS) =>
    listTools(
      { bus: fixture.bus, sessionId: randomUUID() },
      { executionId: randomUUID(), servers },
      signal,
      timeouts,
    );

  it("reports that no runner answers", async () => {
    const listing = await list([{ id: "kubernetes" }], { ...TOOL_TIMEOUTS, noRespondersMs: 200 });
    expect(listing).to.deep.equal({
      kind: "unavailable",
      message: "tools cannot be listed: no service answers on tarsy.tools.list",
    });
  });

  it("sends no request without servers", async () => {
    expect(await list([])).to.deep.equal({
      kind: "listed",
      tools: [],
      missing: [],
      failed: new Map(),
      stale: new Set(),
      leftOut: new Map(),
    });
  });

  it("lists the tools by server in the requested order, then by name", async () => {
    await using runner = await fixture.runner();
    const listing = await list([{ id: "metrics" }, { id: "unknown" }, { id: "kubernetes", tools: null }]);
    if (listing.kind !== "listed") throw new Error(listing.message);
    expect(listing.tools.map(({ name }) => name)).to.deep.equal([
      "metrics.query",
      "kubernetes.delete_pod",
      "kubernetes.get_pods",
    ]);
    expect(listing.tools[2]).to.include({
      name: "kubernetes.get_pods",
      server: "kubernetes",
      description: "lists pods",
      parameters_schema: '{"type":"object"}',
      read_only: true,
    });
    expect(runner.pid).to.be.above(0);
  });

  it("lists only the selected tools and reports missing ones", async () => {
    await using runner = await fixture.runner();
    const listing = await list([{ id: "kubernetes", tools: ["get_pods", "scale"] }]);
    if (listing.kind !== "listed") throw new Error(listing.message);
    expect(listing.tools.map(({ name }) => name)).to.deep.equal(["kubernetes.get_pods"]);
    expect(listing.missing).to.deep.equal(["kubernetes.scale"]);
    expect(runner.pid).to.be.above(0);
  });
});
