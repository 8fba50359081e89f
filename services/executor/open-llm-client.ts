import { credentials } from "@grpc/grpc-js";
import { LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Opens the client of the llm-gateway. Connections are made on demand and repaired by the library. */
export function openLlmClient(address: string): LLMServiceClient {
  const target = address.includes("://") || address.includes(":///") ? address : `dns:///${address}`;
  return new LLMServiceClient(target, credentials.createInsecure(), {
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
    // A gateway that vanished without a word is noticed within 15 s.
    "grpc.keepalive_time_ms": 10_000,
    "grpc.keepalive_timeout_ms": 5_000,
    "grpc.initial_reconnect_backoff_ms": 250,
    "grpc.max_reconnect_backoff_ms": 2_000,
    "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  });
}
