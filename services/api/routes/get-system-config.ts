import type { RouterMiddleware } from "@koa/router";
import { effectiveConfig } from "#shared/agent-config/effective-config.ts";
import type { ApiDeps } from "../api-deps.ts";

/** `GET /api/v1/system/config`: the effective configuration, with secrets redacted. */
export function getSystemConfig({ config: { agents } }: Pick<ApiDeps, "config">): RouterMiddleware {
  const body = effectiveConfig(agents);
  return (ctx) => {
    ctx.body = body;
  };
}
