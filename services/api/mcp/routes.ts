import type { Middleware } from "koa";
import { AccessRefused } from "#shared/access/access-refused.ts";
import type { Submitter } from "../alerts/open-submitter.ts";
import type { ApiDeps } from "../api-deps.ts";
import { allow } from "../http/access.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { RequestError } from "../http/request-error.ts";
import { routesOf } from "../http/routes-of.ts";
import { MCP } from "./contract.ts";

/** Apart from that of alerts: a message is counted until its answer ends, which may be a stream. */
const BODY_BYTES_IN_FLIGHT = 32 * 1024 * 1024;

const { path: METADATA_PATH } = MCP.getMcpMetadata;

/** The routes of the MCP server. Its code and the protocol's are loaded with the first message. */
export function mcpRoutes(deps: ApiDeps & { readonly submitter: Submitter }) {
  const { auth } = deps.config.access;
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  let opened: Promise<Serve> | undefined;
  return routesOf(
    MCP,
    {
      async callMcp(ctx) {
        const message = await readJsonBody(ctx, bodies);
        if (typeof message !== "object" || message === null || Array.isArray(message)) {
          throw new RequestError(400, "the body must be one message of JSON-RPC: batches are not taken");
        }
        const serve = await (opened ??= open(deps));
        return serve(ctx, { ...message });
      },
      getMcpMetadata: (ctx) => ({
        resource: resourceOf(deps, ctx.host),
        ...(auth.mode === "jwt" ? { authorization_servers: [auth.jwt.issuer] } : {}),
        bearer_methods_supported: ["header"],
        resource_name: "TARSy",
      }),
    },
    { callMcp: mcpAccess(deps) },
  );
}

type Serve = Awaited<ReturnType<typeof open>>;

async function open(deps: Parameters<typeof mcpRoutes>[0]) {
  const { openMcp } = await import("./serve-mcp.ts");
  return openMcp(deps);
}

/** Lets callers in as any route does; a client without a credential learns where it signs in. */
function mcpAccess(deps: ApiDeps): Middleware {
  const { publicUrl } = deps.config;
  // Only the configured address: the client chooses the host that a request names.
  const access = allow(deps, "mcp.use", publicUrl === undefined ? undefined : publicUrl + MCP.callMcp.path);
  return async (ctx, next) => {
    try {
      await access(ctx, next);
    } catch (error) {
      if (!(error instanceof AccessRefused) || error.status !== 401) throw error;
      const metadata = new URL(METADATA_PATH, resourceOf(deps, ctx.host)).href;
      throw new AccessRefused(401, error.code, error.message, {
        "www-authenticate": `Bearer realm="tarsy", resource_metadata="${metadata}"`,
      });
    }
  };
}

/** The address of the MCP server: below that of the page, else as the client reached it. */
function resourceOf({ config }: ApiDeps, host: string): string {
  return config.publicUrl === undefined
    ? `http://${host}${MCP.callMcp.path}`
    : `${config.publicUrl}${MCP.callMcp.path}`;
}
