import type { Endpoints } from "../http/endpoint.ts";
import { MAX_LISTED_RUNBOOKS } from "#shared/contracts/runbook-requests.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";

/** The runbooks that alerts can name. */
export const RUNBOOKS = {
  listRunbooks: {
    method: "get",
    path: "/api/v1/runbooks",
    action: "alert_types.read",
    tag: "system",
    summary: "The addresses of the runbooks below `system.runbooks.repo_url`; empty if they cannot be listed",
    responses: {
      200: {
        description: "the addresses",
        schema: Type.Array(Type.String(), { maxItems: MAX_LISTED_RUNBOOKS }),
      },
    },
  },
} as const satisfies Endpoints;
