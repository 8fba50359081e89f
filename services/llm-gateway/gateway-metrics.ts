import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { PROVIDER_TYPES } from "#shared/contracts/resolved-chain.ts";
import { startAtZero } from "#shared/service/start-at-zero.ts";
import type { UsageInfo } from "#shared/generated/llm/v1/llm.ts";
import { LLM_ERROR_CODES } from "#shared/contracts/llm-error-codes.ts";
import { REFUSALS, type Refusal } from "./grpc/guard-calls.ts";

/** Records one call; opened when the call starts. */
export interface CallRecord {
  /** Call it when a chunk was sent; only the first call counts. */
  firstChunk(): void;
  usage(usage: UsageInfo): void;
  /** Call it exactly once; `outcome` is "ok", "cancelled" or an error code. */
  end(outcome: string): void;
}

/** The labels by which a call is counted. */
interface CallLabels {
  /** The provider's type. */
  readonly type: string;
  readonly model: string;
}

/** Counts calls. */
export interface GatewayMetrics {
  /** Opens the record of one call. */
  readonly openRecord: (labels: CallLabels) => CallRecord;
  /** Counts a call that was refused before its request was read. */
  readonly refused: (refusal: Refusal) => void;
}

const LABELS = ["provider", "model"] as const;
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];
/** Model names come from requests: random ones must not grow the registry without bound. */
const MAX_MODELS = 100;

const OUTCOMES = ["ok", "cancelled", ...LLM_ERROR_CODES];
const TOKEN_KINDS = ["input", "output", "thinking"];

/** Registers the gateway's metrics in `registry`. */
export function gatewayMetrics(registry: Registry): GatewayMetrics {
  const registers = [registry];
  const calls = new Counter({
    name: "tarsy_llm_calls_total",
    help: "Calls by outcome: ok, cancelled or the error's code",
    labelNames: [...LABELS, "outcome"],
    registers,
  });
  const tokens = new Counter({
    name: "tarsy_llm_tokens_total",
    help: "Tokens as the providers report them",
    labelNames: [...LABELS, "kind"],
    registers,
  });
  const refused = new Counter({
    name: "tarsy_llm_calls_refused_total",
    help: "Calls refused before their request was read",
    labelNames: ["reason"],
    registers,
  });
  startAtZero(refused, { reason: REFUSALS });
  const running = new Gauge({ name: "tarsy_llm_calls_running", help: "Calls in progress", registers });
  const first = new Histogram({
    name: "tarsy_llm_time_to_first_chunk_seconds",
    help: "From the request to the first chunk sent",
    labelNames: LABELS,
    buckets: SECONDS,
    registers,
  });
  const duration = new Histogram({
    name: "tarsy_llm_call_duration_seconds",
    help: "From the request to the end of the call",
    labelNames: LABELS,
    buckets: SECONDS,
    registers,
  });
  const models = new Set<string>();
  const started = new Set<string>();
  const openRecord = (call: CallLabels): CallRecord => {
    const labels = callLabels(call, models);
    const key = `${labels.provider} ${labels.model}`;
    if (!started.has(key)) {
      started.add(key);
      const both = { provider: [labels.provider], model: [labels.model] };
      startAtZero(calls, { ...both, outcome: OUTCOMES });
      startAtZero(tokens, { ...both, kind: TOKEN_KINDS });
    }
    running.inc();
    const endDuration = duration.startTimer(labels);
    let endFirst: (() => unknown) | undefined = first.startTimer(labels);
    return {
      firstChunk: () => {
        endFirst?.();
        endFirst = undefined;
      },
      usage: ({ inputTokens, outputTokens, thinkingTokens }) => {
        tokens.inc({ ...labels, kind: "input" }, Math.max(0, inputTokens));
        tokens.inc({ ...labels, kind: "output" }, Math.max(0, outputTokens));
        tokens.inc({ ...labels, kind: "thinking" }, Math.max(0, thinkingTokens));
      },
      end: (outcome) => {
        running.dec();
        endDuration();
        calls.inc({ ...labels, outcome });
      },
    };
  };
  return { openRecord, refused: (reason) => refused.inc({ reason }) };
}

function callLabels({ type, model }: CallLabels, models: Set<string>): { provider: string; model: string } {
  if (models.size < MAX_MODELS) models.add(model);
  return {
    provider: PROVIDER_TYPES.find((known) => known === type) ?? "unknown",
    model: models.has(model) ? model : "other",
  };
}
