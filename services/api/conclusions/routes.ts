import type { ApiDeps } from "../api-deps.ts";
import { RequestError } from "../http/request-error.ts";
import { routesOf } from "../http/routes-of.ts";
import { sessionAt } from "../http/session-at.ts";
import { conclusionView } from "./conclusion-view.ts";
import { CONCLUSIONS } from "./contract.ts";
import { readConclusion, readQuoted } from "./read-conclusion.ts";

/** The route of conclusions; with `at_seq`, of what was concluded by then. A session without one is answered 404. */
export const conclusionRoutes = ({ orm }: ApiDeps) =>
  routesOf(CONCLUSIONS, {
    getConclusion: async (ctx) =>
      orm.snapshot(async (manager) => {
        const { session_id } = await sessionAt(manager, ctx);
        const stored = await readConclusion(manager, session_id);
        if (stored === null) throw new RequestError(404, "the session has no conclusion that was checked");
        return conclusionView(stored, await readQuoted(manager, session_id, stored));
      }),
  });
