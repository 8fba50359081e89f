import {
  InterceptingCall,
  credentials,
  type CallOptions,
  type Interceptor,
  type Metadata,
} from "@grpc/grpc-js";
import { TOKEN_METADATA } from "#shared/service/gateway-token.ts";
import { addressListTarget } from "./address-list-resolver.ts";
import {
  GenerateRequest,
  LLMServiceClient,
  LLMServiceService,
  type ConversationMessage,
} from "#shared/generated/llm/v1/llm.ts";

const EMPTY = GenerateRequest.fromJSON({});
const encodedMessages = new WeakMap<ConversationMessage, Uint8Array>();

interface LlmClientOptions {
  /** host:port, several of them separated by commas, or any gRPC target. */
  readonly address: string;
  /** In both directions. */
  readonly maxMessageBytes: number;
  /** Sent with each call. */
  readonly token: string;
}

/**
 * Opens the client of the llm-gateway.
 * Calls are distributed over all replicas round-robin; gRPC retries a call on another replica if its connection breaks
 * before the call was sent. gRPC connects on demand and reconnects; new replicas behind a DNS name are found within 30 s.
 */
export function openLlmClient({ address, maxMessageBytes, token }: LlmClientOptions): LLMServiceClient {
  const client = new LLMServiceClient(targetOf(address), credentials.createInsecure(), {
    interceptors: [sendToken(token)],
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
    // Detects a gateway that disappeared without closing its connection, within 40 s of the last ping's answer. The
    // timeout is long because a gateway that only lacks CPU answers late, and its calls would be lost.
    "grpc.keepalive_time_ms": 20_000,
    "grpc.keepalive_timeout_ms": 20_000,
    "grpc.initial_reconnect_backoff_ms": 250,
    "grpc.max_reconnect_backoff_ms": 2_000,
    // Gateways in a rolling restart come back at other addresses. By default gRPC resolves names at most every 30 s, and
    // calls in between would wait until their deadline.
    "grpc.dns_min_time_between_resolutions_ms": 1_000,
    // Saves a TXT lookup with each resolution.
    "grpc.service_config_disable_resolution": 1,
    "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  });
  const { path, responseDeserialize } = LLMServiceService.generate;
  return Object.assign(client, {
    generate: (request: GenerateRequest, metadata: Metadata, options: Partial<CallOptions>) =>
      client.makeServerStreamRequest(path, encodeRequest, responseDeserialize, request, metadata, options),
  });
}

/**
 * The bytes of a request. A message that an earlier call has sent is not encoded again: in protobuf, the bytes of a whole are those of
 * its parts, one after the other.
 */
export function encodeRequest(request: GenerateRequest): Buffer {
  const rest = GenerateRequest.encode({ ...request, messages: [] }).finish();
  return Buffer.concat([rest, ...request.messages.map(encodedMessage)]);
}

function encodedMessage(message: ConversationMessage): Uint8Array {
  const known = encodedMessages.get(message);
  if (known !== undefined) return known;
  const bytes = GenerateRequest.encode({ ...EMPTY, messages: [message] }).finish();
  encodedMessages.set(message, bytes);
  return bytes;
}

/** gRPC's own call credentials need TLS. */
function sendToken(token: string): Interceptor {
  return (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start: (metadata, listener, next) => {
        metadata.set(TOKEN_METADATA, `Bearer ${token}`);
        next(metadata, listener);
      },
    });
}

function targetOf(address: string): string {
  // Only our own resolver looks for new replicas.
  const names = address.replace(/^dns:(?:\/\/\/|(?!\/|\d+(?:,|$)))/iu, "");
  if (/^[a-z][\w+.-]*:(?!\d+(?:,|$))/iu.test(names)) return address;
  return addressListTarget(names.split(",").map((part) => part.trim()));
}
