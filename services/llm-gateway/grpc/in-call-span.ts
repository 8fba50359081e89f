import type { ServerWritableStream } from "@grpc/grpc-js";
import type { GenerateRequest, GenerateResponse } from "#shared/generated/llm/v1/llm.ts";
import { carrierIn } from "#shared/telemetry/trace-carrier.ts";
import { inSpan } from "#shared/telemetry/tracing.ts";
import type { CallRecord } from "../gateway-metrics.ts";

const METHOD = "llm.v1.LLMService/Generate";

/**
 * Handles a call in a span that continues its caller's trace, with the outcome that `record` gets as its error. The
 * executor's span is the one of the model's call: it has model and tokens, and outlives this process.
 */
export async function inCallSpan(
  {
    metadata,
    request,
  }: Pick<ServerWritableStream<GenerateRequest, GenerateResponse>, "metadata" | "request">,
  record: CallRecord,
  handle: (record: CallRecord) => Promise<void>,
): Promise<void> {
  const parent = carrierIn((name) => metadata.get(name).find((value) => typeof value === "string")) ?? null;
  const attributes = {
    "rpc.system.name": "grpc",
    "rpc.method": METHOD,
    "tarsy.session.id": request.sessionId,
    "tarsy.llm.provider": request.llmConfig?.providerName,
  };
  return inSpan(METHOD, { kind: "server", parent, attributes }, async (span) =>
    handle({
      ...record,
      end: (outcome) => {
        if (outcome !== "ok" && outcome !== "cancelled") span.fail(outcome);
        span.set({
          "tarsy.llm.outcome": outcome,
          // A failed call ends orderly, with a chunk that says why.
          "rpc.response.status_code": outcome === "cancelled" ? "CANCELLED" : "OK",
        });
        record.end(outcome);
      },
    }),
  );
}
