import { connectivityState } from "@grpc/grpc-js";
import type { LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import { untilAborted } from "#shared/until-aborted.ts";

/** The configured address of the llm-gateway, for people: "localhost:50051", or a comma-separated list. */
export function gatewayAddress(llm: LLMServiceClient): string {
  return llm
    .getChannel()
    .getTarget()
    .replace(/^[a-z]+:\/*/u, "");
}

/** True while a connection to a gateway is established. Starts to connect if none is being established. */
export function isGatewayConnected(llm: LLMServiceClient): boolean {
  return llm.getChannel().getConnectivityState(true) === connectivityState.READY;
}

/** The state of the connection for people. */
export function gatewayState(llm: LLMServiceClient): string {
  const address = gatewayAddress(llm);
  return isGatewayConnected(llm)
    ? `connected to ${address}`
    : `no connection to ${address}: sessions that need the model wait for it, new ones are not started`;
}

/** Waits up to `timeoutMs` for a connection to a gateway; resolves whether there is one. Throws the signal's reason. */
export async function untilGatewayConnected(
  llm: LLMServiceClient,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  llm.waitForReady(Date.now() + timeoutMs, (error) => resolve(error === undefined));
  return untilAborted(promise, signal);
}
