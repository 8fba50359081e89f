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
import { routesOf } from "../http/routes-of.ts";
import { visibleSession } from "../http/visible-session.ts";
import { MEMORIES, MemoryBody, MemoryQuery } from "./contract.ts";
import { changeMemory, deleteMemory } from "./change-memory.ts";
import { readInjectedMemories, readMemoriesOf, readMemory, readMemoryPage } from "./read-memories.ts";

const MAX_BODY_BYTES = 64 * 1024;
const BODY_BYTES_IN_FLIGHT = 4 * 1024 * 1024;

const readQuery = queryReader(MemoryQuery);
const readBody = bodyReader(MemoryBody);

/** The routes of what was learned from sessions. Without `defaults.memory.enabled` lists are empty, and no memory is found. */
export function memoryRoutes(deps: ApiDeps) {
  const { config, db } = deps;
  const { enabled } = config.agents.defaults.memory;
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const mask = maskBody(deps, "PATCH /api/v1/memories/:memory");
  return routesOf(MEMORIES, {
    async listSessionMemories(ctx) {
      const { session_id } = await visibleSession(db, ctx);
      return enabled ? readMemoriesOf(db, callerOf(ctx).identity, session_id) : [];
    },

    async listInjectedMemories(ctx) {
      const { session_id } = await visibleSession(db, ctx);
      return enabled ? readInjectedMemories(db, callerOf(ctx).identity, session_id) : [];
    },

    async listMemories(ctx) {
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
      return { memories, total, page, page_size, total_pages, enabled, may_change };
    },

    async getMemory(ctx) {
      const memory = await readMemory(db, callerOf(ctx).identity, idOf(config, ctx.params["memory"]));
      if (memory === undefined) throw notFound();
      return memory;
    },

    /** Changes what the body has; the content is masked like an alert. */
    async changeMemory(ctx) {
      const id = idOf(config, ctx.params["memory"]);
      const body = readBody(await readJsonBody(ctx, bodies, MAX_BODY_BYTES));
      if (Object.keys(body).length === 0) {
        throw new RequestError(400, "request body must have content, category, valence or deprecated");
      }
      callerOf(ctx).detail = { memory_id: id };
      const memory = await changeMemory(db, id, await mask(null, body));
      if (memory === undefined) throw notFound();
      return memory;
    },

    async deleteMemory(ctx) {
      const id = idOf(config, ctx.params["memory"]);
      callerOf(ctx).detail = { memory_id: id };
      if (!(await deleteMemory(db, id))) throw notFound();
    },
  });
}

/** The id in the path. Throws RequestError 400 for none, and 404 if nothing is remembered. */
function idOf({ agents }: ApiDeps["config"], parameter: string | undefined): string {
  const id = parseMemoryId(parameter);
  if (!agents.defaults.memory.enabled) throw notFound();
  return id;
}
