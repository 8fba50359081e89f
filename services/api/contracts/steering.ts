import { SessionParams } from "../http/common-schemas.ts";
import { SteeringBody, SteeringResponse } from "../schemas/steering.ts";
import type { RouteContracts } from "./legacy.ts";

/** Messages of people to the agents of a running session. */
export const STEERING_CONTRACTS = {
  "POST /api/v1/sessions/:id/messages": {
    id: "steerSession",
    tag: "sessions",
    summary:
      "Tell the agents of a running session something, have them conclude, or skip their running tool calls",
    params: SessionParams,
    body: {
      schema: SteeringBody,
      example: { mode: "note", content: "The deployment at 14:02 was rolled back." },
    },
    responses: {
      202: { description: "stored; the agents read it before their next step", schema: SteeringResponse },
    },
    errors: [409, 422],
  },
} as const satisfies RouteContracts;
