import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { ToolFixture } from "../../../test/support/tool-fixture.ts";
import { until } from "../../../test/support/until.ts";
import { listTools, type ToolServer } from "../tools/list-tools.ts";
import { TOOL_TIMEOUTS } from "../tools/tool-timeouts.ts";
import { AnsweringRunner, listedTool } from "./answering-runner.ts";

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
      mayComeLater: false,
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

  describe("of a server that a runner could not list in time", () => {
    const failed = (code: string, server = "k8s") => ({ server, code, message: `${code}!` });
    const brief = {
      ...TOOL_TIMEOUTS,
      retryMs: 20,
      listing: { ...TOOL_TIMEOUTS.listing, patienceMs: 600, failedMs: 150 },
    };

    /** As long for every failure, so that a busy machine ends none. */
    const patient = {
      ...TOOL_TIMEOUTS,
      listing: { ...TOOL_TIMEOUTS.listing, failedMs: TOOL_TIMEOUTS.listing.patienceMs },
    };

    it("asks other runners, only for what is missing", async () => {
      for (const code of ["not_listed_yet", "unreachable", "timeout"]) {
        const k8s = { tools: [listedTool("k8s.pods")] };
        const logs = { tools: [listedTool("logs.tail")] };
        const one = await AnsweringRunner.start(fixture.bus, {
          listing: { ...k8s, failed: [failed(code, "logs")] },
        });
        const listed = list([{ id: "k8s" }, { id: "logs" }], patient);
        await until("the first runner was asked", () => one.asked.length > 0);
        using other = await AnsweringRunner.start(fixture.bus, {
          listing: { ...logs, failed: [failed(code)] },
        });
        one[Symbol.dispose]();
        const listing = await listed;
        expect([one.asked[0], other.asked]).to.deep.equal([["k8s", "logs"], [["logs"]]]);
        if (listing.kind !== "listed") throw new Error(listing.message);
        expect(listing.tools.map(({ name }) => name)).to.deep.equal(["k8s.pods", "logs.tail"]);
        expect(listing).to.deep.include({ failed: new Map(), mayComeLater: false });
      }
    });

    it("gives up after a while, and says whether the tools may come later", async () => {
      const cases = [
        { code: "not_listed_yet", tools: [], mayComeLater: true },
        { code: "unreachable", tools: [], mayComeLater: true },
        { code: "unreachable", tools: [listedTool("logs.tail")], mayComeLater: false },
        { code: "unauthorized", tools: [], mayComeLater: false },
        { code: "misconfigured", tools: [], mayComeLater: false },
      ];
      for (const { code, tools, mayComeLater } of cases) {
        using _runner = await AnsweringRunner.start(fixture.bus, {
          listing: { tools, failed: [failed(code)] },
        });
        const listing = await list([{ id: "k8s" }, { id: "logs" }], brief);
        expect(listing).to.deep.include({ kind: "listed", mayComeLater });
        expect(listing.kind === "listed" && listing.failed.get("k8s")).to.deep.include({ code });
      }
    });

    it("does not wait for servers of which no tool is wanted", async () => {
      using _runner = await AnsweringRunner.start(fixture.bus, {
        listing: { tools: [], failed: [failed("timeout")] },
      });
      expect(await list([{ id: "k8s", tools: [] }])).to.include({ mayComeLater: false });
    });
  });
});
