import type { HttpSettings } from "../server-settings.ts";
import { insertSessionId } from "./session-id.ts";

/** The headers of every request to a server for an execution; one whose value is empty is left out. */
export function requestHeaders({ headers, bearerToken }: HttpSettings, executionId: string): Headers {
  const all = new Headers();
  for (const [name, template] of Object.entries(headers)) {
    const value = insertSessionId(template, executionId);
    if (value !== "") all.set(name, value);
  }
  if (bearerToken !== undefined) all.set("authorization", `Bearer ${bearerToken}`);
  return all;
}
