import { expect } from "chai";
import { Registry } from "prom-client";
import type { ServerReport } from "../mcp/server-report.ts";
import { ToolMetrics, type MeasuredCall } from "../tool-metrics.ts";

const REPORT: ServerReport = {
  id: "k8s",
  transport: "stdio",
  era: "legacy",
  version: "1",
  open: 2,
  connected: 3,
  failedToConnect: 1,
  isCircuitOpen: false,
  health: { checkedAt: undefined, isWell: true, failure: undefined },
  tools: undefined,
  unansweredMs: 0,
  isUsable: true,
};

const callOf = (tool: string, more: Partial<MeasuredCall> = {}): MeasuredCall => ({
  server: "k8s",
  tool,
  isListed: true,
  outcome: { kind: "result", content: "", is_error: false },
  seconds: 0.1,
  bytes: 10,
  ...more,
});

describe("ToolMetrics", () => {
  it("counts calls, values and connections by server and tool", async () => {
    const registry = new Registry();
    const metrics = new ToolMetrics(registry, () => [REPORT]);
    metrics.finished(callOf("pods"));
    metrics.finished(callOf("pods", { outcome: { kind: "result", content: "", is_error: true } }));
    metrics.finished(callOf("pods", { outcome: { kind: "timeout", message: "" }, bytes: 0 }));
    metrics.masked("k8s", { TOKEN: 2 });
    await registry.metrics();
    const text = await registry.metrics();
    for (const line of [
      'tarsy_tool_calls_total{server="k8s",tool="pods",outcome="ok"} 1',
      'tarsy_tool_calls_total{server="k8s",tool="pods",outcome="tool_error"} 1',
      'tarsy_tool_calls_total{server="k8s",tool="pods",outcome="timeout"} 1',
      'tarsy_tool_call_duration_seconds_count{server="k8s",tool="pods"} 3',
      'tarsy_tool_result_bytes_total{server="k8s",tool="pods"} 20',
      'tarsy_tool_masked_values_total{server="k8s",kind="TOKEN"} 2',
      'tarsy_mcp_connects_total{server="k8s",result="ok"} 3',
      'tarsy_mcp_connects_total{server="k8s",result="failed"} 1',
      'tarsy_mcp_connections{server="k8s"} 2',
      'tarsy_mcp_circuit_open{server="k8s"} 0',
      'tarsy_mcp_server_up{server="k8s"} 1',
    ]) {
      expect(text).to.contain(`${line}\n`);
    }
  });

  it("bounds the series, whatever names models and servers make up", async () => {
    const registry = new Registry();
    const metrics = new ToolMetrics(registry, () => []);
    for (let n = 0; n < 1_000; n += 1) {
      metrics.finished(callOf(`invented-${n}`, { isListed: false }));
      metrics.finished(callOf(`listed-${n}`));
    }
    const text = await registry.metrics();
    expect(text.match(/^tarsy_tool_calls_total\{/gmu)).to.have.length(501);
    expect(text).to.contain('tarsy_tool_calls_total{server="k8s",tool="other",outcome="ok"} 1500');
    expect(text).not.to.contain("invented");
  });
});
