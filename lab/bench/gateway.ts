import { writeFile } from "node:fs/promises";
import { availableParallelism, cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { errorMessage } from "#shared/errors.ts";
import { openCallers, readCall, type GatewayCaller, type Callers } from "./gateway/callers.ts";
import { gatewayReport, type GatewayMeasurements } from "./gateway/gateway-report.ts";
import { renderGatewayReport } from "./gateway/render-gateway-report.ts";
import { startGateways, waitForReady, type BenchGateways } from "./gateway/start-gateways.ts";
import { UsageError } from "../../scripts/tarsy/command.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { readUsage } from "./support/process-usage.ts";

/** The full amount of work; `--share` scales it down. */
const WORK = {
  /** Unmeasured calls per caller. */
  warm_up: 100,
  first_chunk_rounds: 500,
  chunk_rounds: 5,
  chunk_calls: 100,
  cancels: 100,
  streams: 1_000,
};
const FIXED = { chunks_per_call: 200, callers: 10 };
type Settings = typeof WORK & typeof FIXED;

/** The cost of the gateway between its caller and a provider that answers immediately. */
export const gateway: Benchmark = {
  summary:
    "the llm-gateway alone: added latency to the first chunk, CPU per chunk, cancel, a thousand streams",
  usage: `usage: npm run bench -- gateway [options]

  --share N        percentage of the work to do, 1 to 100 (100); small values only show that it runs
  --json FILE      also writes all figures to FILE; each name ends in its unit
  --help           prints this
`,
  run: async (args, context) => {
    const { share, jsonFile } = parseOptions(args);
    const part = Object.fromEntries(
      Object.entries(WORK).map(([name, value]) => [name, Math.max(1, Math.round(value * share))]),
    );
    const report = gatewayReport(await measure({ ...WORK, ...part, ...FIXED }, context));
    context.print(renderGatewayReport(report));
    if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(report, null, 2)}\n`);
  },
};

function parseOptions(args: readonly string[]): { share: number; jsonFile: string | undefined } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { share: { type: "string", default: "100" }, json: { type: "string" } },
    });
    const share = Number(values.share);
    if (!/^\d+$/.test(values.share) || share < 1 || share > 100) {
      throw new UsageError(`--share is "${values.share}"; it must be a whole number from 1 to 100`);
    }
    return { share: share / 100, jsonFile: values.json };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(errorMessage(error).split(/\.\s/)[0]?.replace(/\.$/, "") ?? "wrong arguments", {
      cause: error,
    });
  }
}

async function measure(
  settings: Settings,
  { signal, progress }: BenchmarkContext,
): Promise<GatewayMeasurements> {
  const startedAt = new Date();
  await using gateways = await startGateways(signal);
  const callers = openCallers(gateways);
  progress("warming up");
  for (const caller of [callers.fetch, callers.sdk, callers.gateway]) {
    await callMany(caller, settings.warm_up, settings, signal);
  }
  progress("first chunks, one call at a time");
  const firstChunkMs = await firstChunks(callers, settings, signal);
  progress("chunks");
  const chunkCpuUs: GatewayMeasurements["chunkCpuUs"][number][] = [];
  for (let round = 0; round < settings.chunk_rounds; round += 1) {
    chunkCpuUs.push(await chunkCpu(callers, gateways, settings, signal));
  }
  progress("cancels");
  const cancelMs = await cancels(gateways, settings, signal);
  progress("concurrent streams");
  const streams = await concurrentStreams(gateways, settings, signal);
  progress("stopping");
  const machine = {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? "unknown",
    memory_mb: Math.round(totalmem() / 1e6),
    node: process.versions.node,
  };
  return { startedAt, machine, settings, firstChunkMs, chunkCpuUs, cancelMs, streams };
}

/** In each round one call per caller; the caller that goes first rotates. */
async function firstChunks(callers: Callers, { first_chunk_rounds: rounds }: Settings, signal: AbortSignal) {
  const times: Record<keyof Callers, number[]> = { fetch: [], sdk: [], gateway: [] };
  const order = ["fetch", "sdk", "gateway"] as const;
  for (let round = 0; round < rounds; round += 1) {
    signal.throwIfAborted();
    for (let turn = 0; turn < order.length; turn += 1) {
      const name = order[(round + turn) % order.length] ?? "gateway";
      times[name].push(await callers[name]("bench-2-end-0"));
    }
  }
  return times;
}

async function chunkCpu(callers: Callers, { pids }: BenchGateways, settings: Settings, signal: AbortSignal) {
  const chunks = settings.chunk_calls * settings.chunks_per_call;
  const callerCpu = async (caller: GatewayCaller) => {
    const before = process.cpuUsage();
    await callMany(caller, settings.chunk_calls, settings, signal);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / chunks;
  };
  const sdk = await callerCpu(callers.sdk);
  const before = await readUsage(pids.slice(0, 1));
  const grpcClient = await callerCpu(callers.gateway);
  const after = await readUsage(pids.slice(0, 1));
  return { sdk, grpcClient, gateway: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / chunks };
}

async function callMany(
  caller: GatewayCaller,
  count: number,
  settings: Settings,
  signal: AbortSignal,
): Promise<void> {
  let left = count;
  const work = async () => {
    for (; left > 0; left -= 1) {
      signal.throwIfAborted();
      await caller(`bench-${settings.chunks_per_call}-end-0`);
    }
  };
  await Promise.all(Array.from({ length: settings.callers }, work));
}

async function cancels(
  { one, request, closedAt }: BenchGateways,
  { cancels: count }: Settings,
  signal: AbortSignal,
) {
  const times: number[] = [];
  for (let id = 1; id <= count; id += 1) {
    signal.throwIfAborted();
    const call = one.generate(request(`bench-1-hold-${id}`), waitForReady());
    call.on("error", () => undefined);
    await new Promise((resolve) => call.once("data", resolve));
    const at = performance.timeOrigin + performance.now();
    call.cancel();
    times.push((await closedAt(id)) - at);
  }
  return times;
}

async function concurrentStreams(
  { both, request, closedAt, pids }: BenchGateways,
  settings: Settings,
  signal: AbortSignal,
) {
  const { streams: opened, cancels: usedIds, warm_up: warmUp } = settings;
  for (let call = 0; call < warmUp; call += 1) {
    await readCall(both, request("bench-1-end-0"), () => undefined);
  }
  const idle = await readUsage(pids);
  const start = performance.now();
  const calls = Array.from({ length: opened }, (_, index) =>
    both
      .generate(request(`bench-1-hold-${usedIds + 1 + index}`), waitForReady())
      .on("error", () => undefined),
  );
  await Promise.all(calls.map((call) => new Promise((resolve) => call.once("data", resolve))));
  const allBegunMs = performance.now() - start;
  signal.throwIfAborted();
  const whileOpen = await readUsage(pids);
  for (const call of calls) call.cancel();
  await Promise.all(calls.map((_, index) => closedAt(usedIds + 1 + index)));
  const after = await readUsage(pids);
  return { opened, allBegunMs, idleMb: idle.rssMb, openMb: whileOpen.rssMb, afterMb: after.rssMb };
}
