import { credentials } from "@grpc/grpc-js";
import { addressListTarget } from "./address-list-resolver.ts";
import { LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";

/**
 * Opens the client of the llm-gateway at `address`: host:port, several with commas between them, or any gRPC target. Calls
 * go to all replicas in turn; a call whose connection breaks before it was sent goes to another by itself. Connections
 * are made on demand and repaired by the library.
 */
export function openLlmClient(address: string, maxMessageBytes: number): LLMServiceClient {
  return new LLMServiceClient(targetOf(address), credentials.createInsecure(), {
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
    // A gateway that vanished without a word is noticed within 15 s.
    "grpc.keepalive_time_ms": 10_000,
    "grpc.keepalive_timeout_ms": 5_000,
    "grpc.initial_reconnect_backoff_ms": 250,
    "grpc.max_reconnect_backoff_ms": 2_000,
    // Gateways that restart one after the other come back at other addresses: by default they would be looked up no more
    // than every 30 s, and calls would wait for their deadline meanwhile.
    "grpc.dns_min_time_between_resolutions_ms": 1_000,
    "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  });
}

function targetOf(address: string): string {
  if (/^[a-z][\w+.-]*:(?!\d+(?:,|$))/iu.test(address)) return address;
  const addresses = address.split(",").map((one) => one.trim());
  return addresses.length === 1 ? `dns:///${address}` : addressListTarget(addresses);
}
