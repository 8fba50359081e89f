import type { ApiDeps } from "../api-deps.ts";
import type { RouteRow } from "../contracts/documented-routes.ts";
import { forkSessionRoute } from "../routes/fork-session.ts";
import { getComparison } from "../routes/get-comparison.ts";
import { getSteps } from "../routes/get-steps.ts";
import type { Submitter } from "../alerts/open-submitter.ts";

/** Forks of a session, and how two sessions differ. */
export function forkingRoutes(
  deps: ApiDeps & { readonly submitter: Submitter },
  session: string,
): readonly RouteRow[] {
  return [
    { method: "post", path: `${session}/fork`, action: "session.fork", handle: forkSessionRoute(deps) },
    { method: "get", path: `${session}/steps`, action: "session.read", handle: getSteps(deps) },
    // It shows what agents asked and were told, as the trace does.
    { method: "get", path: `${session}/comparison`, action: "trace.read", handle: getComparison(deps) },
  ];
}
