import type { RouterMiddleware } from "@koa/router";
import { allows } from "#shared/access/authorize.ts";
import type { ApiDeps } from "../api-deps.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { bodyReader } from "../http/body-reader.ts";
import { callerOf } from "../http/caller.ts";
import { maskBody } from "../http/mask-body.ts";
import { parseMemoryId } from "../http/parse-parameters.ts";
import { queryReader } from "../http/query-reader.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { RequestError, notFound } from "../http/request-error.ts";
import type { RouteRow } from "../contracts/documented-routes.ts";
import { visibleSession } from "../http/visible-session.ts";
import { MemoryBody, MemoryQuery } from "../schemas/memories.ts";
import { changeMemory, deleteMemory } from "./change-memory.ts";
import { readInjectedMemories, readMemoriesOf, readMemory, readMemoryPage } from "./read-memories.ts";

/** The routes of what was learned from sessions. Without `defaults.memory.enabled` lists are empty, and no memory is found. */
export function memoryRoutes(deps: ApiDeps): readonly RouteRow[] {
  const [session, memory] = ["/api/v1/sessions/:id", "/api/v1/memories/:memory"];
  return [
    {
      method: "get",
      path: `${session}/memories`,
      action: "memory.read",
      handle: ofSession(deps, readMemoriesOf),
    },
    {
      method: "get",
      path: `${session}/injected-memories`,
      action: "memory.read",
      handle: ofSession(deps, readInjectedMemories),
    },
    { method: "get", path: "/api/v1/memories", action: "memory.read", handle: list(deps) },
    { method: "get", path: memory, action: "memory.read", handle: get(deps) },
    { method: "patch", path: memory, action: "memory.change", handle: change(deps) },
    { method: "delete", path: memory, action: "memory.change", handle: remove(deps) },
  ];
}

const MAX_BODY_BYTES = 64 * 1024;
const BODY_BYTES_IN_FLIGHT = 4 * 1024 * 1024;

/** `GET /api/v1/sessions/:id/memories`, `…/injected-memories`: a bare array. */
function ofSession({ config, db }: ApiDeps, read: typeof readMemoriesOf): RouterMiddleware {
  return async (ctx) => {
    const { session_id } = await visibleSession(db, ctx);
    const { enabled } = config.agents.defaults.memory;
    ctx.body = enabled ? await read(db, callerOf(ctx).identity, session_id) : [];
  };
}

const readQuery = queryReader(MemoryQuery);

/** `GET /api/v1/memories`: a page of what the caller may see, newest first. */
function list({ config, db }: ApiDeps): RouterMiddleware {
  const { enabled } = config.agents.defaults.memory;
  return async (ctx) => {
    const { page = 1, page_size = 20, deprecated, ...filters } = readQuery(ctx.query);
    const wanted = {
      ...filters,
      page,
      pageSize: page_size,
      deprecated: deprecated === undefined ? undefined : deprecated === "true",
    };
    const { identity } = callerOf(ctx);
    const { memories, total } = enabled
      ? await readMemoryPage(db, identity, wanted)
      : { memories: [], total: 0 };
    const may_change = allows(identity, "memory.change");
    const total_pages = Math.ceil(total / page_size);
    ctx.body = { memories, total, page, page_size, total_pages, enabled, may_change };
  };
}

/** `GET /api/v1/memories/:memory` */
function get({ config, db }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const id = idOf(config, ctx.params["memory"]);
    const memory = await readMemory(db, callerOf(ctx).identity, id);
    if (memory === undefined) throw notFound();
    ctx.body = memory;
  };
}

/** `PATCH /api/v1/memories/:memory`: changes what the body has; the content is masked like an alert. Answers the memory as it is now. */
function change(deps: ApiDeps): RouterMiddleware {
  const { config, db } = deps;
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const readBody = bodyReader(MemoryBody);
  const mask = maskBody(deps, "PATCH /api/v1/memories/:memory");
  return async (ctx) => {
    const id = idOf(config, ctx.params["memory"]);
    const body = readBody(await readJsonBody(ctx, bodies, MAX_BODY_BYTES));
    if (Object.keys(body).length === 0) {
      throw new RequestError(400, "request body must have content, category, valence or deprecated");
    }
    callerOf(ctx).detail = { memory_id: id };
    const memory = await changeMemory(db, id, await mask(null, body));
    if (memory === undefined) throw notFound();
    ctx.body = memory;
  };
}

/** `DELETE /api/v1/memories/:memory`: answers 204. */
function remove({ config, db }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const id = idOf(config, ctx.params["memory"]);
    callerOf(ctx).detail = { memory_id: id };
    if (!(await deleteMemory(db, id))) throw notFound();
    ctx.status = 204;
  };
}

/** The id in the path. Throws RequestError 400 for none, and 404 if nothing is remembered. */
function idOf({ agents }: ApiDeps["config"], parameter: string | undefined): string {
  const id = parseMemoryId(parameter);
  if (!agents.defaults.memory.enabled) throw notFound();
  return id;
}
