import type { RouterMiddleware } from "@koa/router";
import type { Route } from "../http/routes-of.ts";
import { openApiDocument } from "../openapi/openapi-document.ts";

/** `GET /api/v1/openapi.json`: the OpenAPI document of these routes, built at the first request. */
export function getOpenApi(routes: () => readonly Route[]): RouterMiddleware {
  let text: string | undefined;
  return (ctx) => {
    text ??= JSON.stringify(openApiDocument(routes()));
    ctx.type = "application/json";
    ctx.body = text;
  };
}
