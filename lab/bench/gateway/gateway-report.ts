import { percentile } from "../support/percentile.ts";

/** The raw measurements. */
export interface GatewayMeasurements {
  readonly startedAt: Date;
  readonly machine: {
    readonly cores: number;
    readonly cpu: string;
    readonly memory_mb: number;
    readonly node: string;
  };
  readonly settings: Record<string, number>;
  /** Milliseconds to the first chunk, round by round. */
  readonly firstChunkMs: Readonly<Record<"fetch" | "sdk" | "gateway", readonly number[]>>;
  /** CPU microseconds per chunk, round by round. */
  readonly chunkCpuUs: readonly {
    readonly gateway: number;
    readonly sdk: number;
    readonly grpcClient: number;
  }[];
  /** From the caller's cancel to the close of the provider's socket. */
  readonly cancelMs: readonly number[];
  readonly streams: {
    readonly opened: number;
    readonly allBegunMs: number;
    readonly idleMb: number;
    readonly openMb: number;
    readonly afterMb: number;
  };
}

/** The machine-readable report: each figure's name ends in its unit; ratios are gateway to SDK. */
export type GatewayReport = ReturnType<typeof gatewayReport>;

/** Computes medians, percentiles and ratios from the raw measurements. */
export function gatewayReport(raw: GatewayMeasurements) {
  const { fetch, sdk, gateway } = raw.firstChunkMs;
  const addedTo = (baseline: readonly number[]) =>
    gateway.map((ms, round) => ms - (baseline[round] ?? Number.NaN));
  const cpu = (pick: (round: GatewayMeasurements["chunkCpuUs"][number]) => number) =>
    percentile(raw.chunkCpuUs.map(pick), 0.5);
  const { streams } = raw;
  return {
    benchmark: "gateway",
    started_at: raw.startedAt.toISOString(),
    machine: raw.machine,
    settings: raw.settings,
    first_chunk: {
      fetch_p50_ms: percentile(fetch, 0.5),
      fetch_p99_ms: percentile(fetch, 0.99),
      sdk_p50_ms: percentile(sdk, 0.5),
      sdk_p99_ms: percentile(sdk, 0.99),
      gateway_p50_ms: percentile(gateway, 0.5),
      gateway_p99_ms: percentile(gateway, 0.99),
      added_to_sdk_p50_ms: percentile(addedTo(sdk), 0.5),
      added_to_fetch_p50_ms: percentile(addedTo(fetch), 0.5),
      gateway_to_sdk_p50_ratio: percentile(gateway, 0.5) / percentile(sdk, 0.5),
    },
    cpu_per_chunk: {
      gateway_us: cpu((round) => round.gateway),
      sdk_us: cpu((round) => round.sdk),
      grpc_client_us: cpu((round) => round.grpcClient),
      gateway_to_sdk_ratio: cpu((round) => round.gateway / round.sdk),
    },
    cancel: {
      provider_closed_p50_ms: percentile(raw.cancelMs, 0.5),
      provider_closed_p99_ms: percentile(raw.cancelMs, 0.99),
    },
    streams_at_once: {
      all_begun_ms: streams.allBegunMs,
      two_gateways_idle_mb: streams.idleMb,
      two_gateways_held_mb: streams.openMb,
      two_gateways_after_mb: streams.afterMb,
      per_stream_kb: ((streams.openMb - streams.idleMb) * 1_000) / streams.opened,
    },
  };
}
