import type { RouterMiddleware } from "@koa/router";
import { configByName } from "#shared/agent-config/config-by-name.ts";
import { effectiveConfig } from "#shared/agent-config/effective-config.ts";
import type { ApiDeps } from "../api-deps.ts";
import { validationError } from "../http/request-error.ts";
import { CONFIG_VIEWS } from "../schemas/system-config.ts";

/**
 * `GET /api/v1/system/config`: the effective configuration, with secrets redacted: by name, or with `view=file` under the keys
 * of the files.
 */
export function getSystemConfig({ config: { agents } }: Pick<ApiDeps, "config">): RouterMiddleware {
  const asFile = effectiveConfig(agents);
  return (ctx) => {
    const { view } = ctx.query;
    if (view !== undefined && !CONFIG_VIEWS.some((known) => known === view)) {
      throw validationError("view", `must be ${CONFIG_VIEWS.join(" or ")}`, CONFIG_VIEWS);
    }
    ctx.body = view === "file" ? asFile : configByName(agents, asFile, new Date());
  };
}
