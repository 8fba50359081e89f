import { formatTable } from "../support/format-table.ts";
import type { GatewayReport } from "./gateway-report.ts";

/** The report as text tables. */
export function renderGatewayReport(report: GatewayReport): string {
  const {
    first_chunk: first,
    cpu_per_chunk: cpu,
    cancel,
    streams_at_once: streams,
    machine,
    settings,
  } = report;
  const parts = [
    `${machine.cores} cores (${machine.cpu}), ${machine.memory_mb} MB; Node ${machine.node}`,
    formatTable([
      ["to the first chunk", "p50 ms", "p99 ms"],
      ["fetch, bytes only", first.fetch_p50_ms, first.fetch_p99_ms],
      ["SDK", first.sdk_p50_ms, first.sdk_p99_ms],
      ["gateway", first.gateway_p50_ms, first.gateway_p99_ms],
      ["gateway over SDK, pair by pair", first.added_to_sdk_p50_ms, ""],
      ["gateway over fetch, pair by pair", first.added_to_fetch_p50_ms, ""],
    ]),
    formatTable([
      ["CPU per chunk", "µs", "gateway / SDK"],
      ["gateway", cpu.gateway_us, cpu.gateway_to_sdk_ratio],
      ["SDK", cpu.sdk_us, ""],
      ["the gateway's caller", cpu.grpc_client_us, ""],
    ]),
    formatTable([
      ["a cancel closes the provider's socket", "p50 ms", "p99 ms"],
      ["after", cancel.provider_closed_p50_ms, cancel.provider_closed_p99_ms],
    ]),
    formatTable([
      [`${settings["streams"] ?? 0} concurrent streams over two gateways`, ""],
      ["all begun after, ms", streams.all_begun_ms],
      ["RSS of both idle, MB", streams.two_gateways_idle_mb],
      ["RSS of both, all streams open, MB", streams.two_gateways_held_mb],
      ["RSS of both afterwards, MB", streams.two_gateways_after_mb],
      ["per open stream, kB", streams.per_stream_kb],
    ]),
    "These figures are noisy and belong to this machine: compare only within one run, or interleaved runs as ratios (lab/bench/README.md).",
  ];
  return `\n${parts.join("\n\n")}\n`;
}
