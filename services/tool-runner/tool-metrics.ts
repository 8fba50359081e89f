import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ToolCallOutcome } from "#shared/contracts/tool-call.ts";
import type { ServerReport } from "./mcp/server-report.ts";

/** Pairs of a server and a tool that get series of their own; a server can list 512 tools. */
const MAX_TOOLS = 500;
const OTHER = "other";

/** A call whose outcome is recorded. */
export interface MeasuredCall {
  readonly server: string;
  /** Excludes the server's id. */
  readonly tool: string;
  /** The server lists it; a model may name any tool. */
  readonly isListed: boolean;
  readonly outcome: ToolCallOutcome;
  readonly seconds: number;
  /** The size of the masked result, before a window of it was taken. */
  readonly bytes: number;
}

/** The tool-runner's metrics. */
export class ToolMetrics {
  readonly #calls: Counter<"server" | "tool" | "outcome">;
  readonly #seconds: Histogram<"server" | "tool">;
  readonly #bytes: Counter<"server" | "tool">;
  readonly #masked: Counter<"server" | "kind">;
  readonly #tools = new Set<string>();

  /** `reports` is read when the metrics are. */
  constructor(registry: Registry, reports: () => readonly ServerReport[]) {
    const registers = [registry];
    this.#calls = new Counter({
      name: "tarsy_tool_calls_total",
      help: "Tool calls by outcome",
      labelNames: ["server", "tool", "outcome"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "tarsy_tool_call_duration_seconds",
      help: "Tool calls from their claim to their outcome",
      labelNames: ["server", "tool"],
      buckets: [0.05, 0.2, 1, 5, 20, 60, 300],
      registers,
    });
    this.#bytes = new Counter({
      name: "tarsy_tool_result_bytes_total",
      help: "Bytes of masked results",
      labelNames: ["server", "tool"],
      registers,
    });
    this.#masked = new Counter({
      name: "tarsy_tool_masked_values_total",
      help: "Values masked in results, by kind",
      labelNames: ["server", "kind"],
      registers,
    });
    // Written with each reading: the servers count by themselves.
    registry.registerMetric(
      new Counter({
        name: "tarsy_mcp_connects_total",
        help: "Attempts to connect to an MCP server",
        labelNames: ["server", "result"],
        registers: [],
        collect() {
          this.reset();
          for (const { id: server, connected, failedToConnect } of reports()) {
            this.inc({ server, result: "ok" }, connected);
            this.inc({ server, result: "failed" }, failedToConnect);
          }
        },
      }),
    );
    const gauges: readonly [string, string, (report: ServerReport) => number][] = [
      ["connections", "Open connections to an MCP server; with stdio each is a process", ({ open }) => open],
      [
        "circuit_open",
        "1 while no connection is tried after failures",
        ({ isCircuitOpen }) => Number(isCircuitOpen),
      ],
      ["server_up", "1 if the last call or listing succeeded", ({ health }) => Number(health.isWell)],
    ];
    for (const [name, help, read] of gauges) {
      registry.registerMetric(
        new Gauge({
          name: `tarsy_mcp_${name}`,
          help,
          labelNames: ["server"],
          registers: [],
          collect() {
            for (const report of reports()) this.set({ server: report.id }, read(report));
          },
        }),
      );
    }
  }

  finished({ server, tool, isListed, outcome, seconds, bytes }: MeasuredCall): void {
    const labels = { server, tool: isListed && this.#hasSeries(server, tool) ? tool : OTHER };
    this.#calls.inc({ ...labels, outcome: outcomeLabel(outcome) });
    this.#seconds.observe(labels, seconds);
    this.#bytes.inc(labels, bytes);
  }

  /** `counts` is by kind of value. */
  masked(server: string, counts: Readonly<Record<string, number>>): void {
    for (const [kind, count] of Object.entries(counts)) this.#masked.inc({ server, kind }, count);
  }

  #hasSeries(server: string, tool: string): boolean {
    const key = `${server}.${tool}`;
    if (this.#tools.size < MAX_TOOLS) this.#tools.add(key);
    return this.#tools.has(key);
  }
}

function outcomeLabel(outcome: ToolCallOutcome): string {
  if (outcome.kind !== "result") return outcome.kind;
  return outcome.is_error ? "tool_error" : "ok";
}
