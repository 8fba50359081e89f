import { RequestError } from "../http/request-error.ts";

/** 404: the webhook is off. */
export function notConfigured(source: string): RequestError {
  return new RequestError(404, `the webhook is off: add system.webhooks.${source} to tarsy.yaml`);
}
