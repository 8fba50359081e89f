import { errorMessage } from "#shared/errors.ts";
import type { ApiDeps } from "../api-deps.ts";
import { routesOf } from "../http/routes-of.ts";
import { RUNBOOKS } from "./contract.ts";

/**
 * The route of runbooks, which a tool-runner lists. The answer is empty without `system.runbooks.repo_url` and if they cannot be listed:
 * the form for alerts works without them.
 */
export function runbookRoutes({ config, dispatcher, log }: ApiDeps) {
  const isListed = config.agents.system.runbooks?.repo_url !== undefined;
  return routesOf(RUNBOOKS, {
    async listRunbooks() {
      try {
        return isListed ? await dispatcher.listRunbooks() : [];
      } catch (error) {
        log.warn({ error: errorMessage(error) }, "runbooks not listed");
        return [];
      }
    },
  });
}
