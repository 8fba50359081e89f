import { AsyncLocalStorage } from "node:async_hooks";
import { iterateIn } from "../providers/iterate-in.ts";
import type { ExchangeRecord, RecordedRequest } from "./exchange-record.ts";
import type { Provider, ProviderCall } from "../providers/provider.ts";

/** Begins the record of one exchange; undefined if this one is not recorded. */
export type BeginRecord = (request: RecordedRequest, call: ProviderCall) => ExchangeRecord | undefined;

/** The SDKs stand between a call and its requests, so that nothing can be passed along. */
const scopes = new AsyncLocalStorage<(request: RecordedRequest) => ExchangeRecord | undefined>();

/** A provider whose exchanges are recorded; its answers stay the same. */
export function recordExchanges(provider: Provider, begin: BeginRecord): Provider {
  return (call) => {
    const scope = (request: RecordedRequest) => begin(request, call);
    return iterateIn(scopes, scope, () => provider(call));
  };
}

/** Begins the record of an exchange of the current call; undefined outside of a recorded call. */
export function beginRecord(request: () => RecordedRequest): ExchangeRecord | undefined {
  return scopes.getStore()?.(request());
}
