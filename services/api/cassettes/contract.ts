import { Cassette } from "#shared/cassette/cassette.ts";
import { SessionParams } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

/** Sessions as files. */
export const CASSETTES = {
  getCassette: {
    method: "get",
    path: "/api/v1/sessions/:id/cassette",
    action: "trace.read",
    tag: "sessions",
    summary: "A session that has ended as one file, without secrets, to run it again",
    params: SessionParams,
    responses: { 200: { description: "the cassette, as a download", schema: Cassette } },
    errors: [409],
  },
} as const satisfies Endpoints;
