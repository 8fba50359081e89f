import type { RouterContext } from "@koa/router";
import { CALLBACK_PATH, CONNECT_MINUTES } from "#shared/contracts/mcp-connect.ts";
import { errorMessage } from "#shared/errors.ts";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { RequestError } from "../http/request-error.ts";

/** The longest values of an authorization server that are passed on. */
const MAX_CHARS = 4_096;
const STATE = /^[\w-]{43}$/u;
/** The error codes of OAuth; other texts are not repeated. */
const ERROR = /^[a-z_]{1,50}$/u;

/** The routes by which an administrator connects an MCP server, and to which the authorization server sends the browser back. */
export function connectHandlers({ config, dispatcher, log }: Pick<ApiDeps, "config" | "dispatcher" | "log">) {
  // Not from a header of the request: its sender would get the code.
  const origin = config.publicUrl ?? `http://localhost:${config.http.port}`;
  const asked = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      log.warn({ error: errorMessage(error) }, "no tool-runner answers about an MCP server");
      throw new RequestError(503, "no tool-runner answers: try again in a moment", { retryAfterSeconds: 5 });
    });
  return {
    async connectMcpServer(ctx: RouterContext) {
      const server = ctx.params["server"] ?? "";
      if (config.agents.mcpServers.get(server)?.auth?.type !== "oauth") {
        throw new RequestError(404, "there is no MCP server of this id with auth type oauth");
      }
      callerOf(ctx).detail = { server };
      const answer = await asked(dispatcher.connectServer(server, `${origin}${CALLBACK_PATH}`));
      if (answer.kind === "refused") throw new RequestError(409, answer.message);
      const { authorization_url } = answer;
      return { authorization_url, expires_in_seconds: CONNECT_MINUTES * 60 };
    },

    async finishConnect(ctx: RouterContext) {
      const [state, code, iss, refusal] = ["state", "code", "iss", "error"].map((name) => {
        const value = ctx.query[name];
        return typeof value === "string" && value.length <= MAX_CHARS ? value : undefined;
      });
      if (refusal !== undefined) {
        const why = ERROR.test(refusal) ? `: ${refusal}` : "";
        throw new RequestError(400, `the authorization server refused${why}; run tarsy connect again`);
      }
      if (state === undefined || !STATE.test(state) || code === undefined || code === "") {
        throw new RequestError(400, "this is no answer of an authorization server: run tarsy connect again");
      }
      const answer = await asked(
        dispatcher.finishConnect({ state, code, ...(iss === undefined ? {} : { iss }) }),
      );
      if (answer.kind === "refused") throw new RequestError(400, answer.message);
      ctx.type = "text/plain";
      return Buffer.from(`MCP server ${answer.server} is connected. You can close this window.\n`);
    },
  };
}
