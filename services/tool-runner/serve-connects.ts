import type { Bus } from "#shared/bus/open-bus.ts";
import { serveRequests } from "#shared/bus/request.ts";
import { callbackCodecs, connectCodecs } from "#shared/contracts/mcp-connect.ts";
import { SUBJECTS, TOOL_RUNNERS_GROUP } from "#shared/contracts/subjects.ts";
import { errorMessage } from "#shared/errors.ts";
import { maskOrWithhold } from "#shared/masking/mask-or-withhold.ts";
import type { Masker } from "#shared/masking/masker.ts";
import { rulesOfServer } from "#shared/masking/masking-rules.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { McpServers } from "./mcp/mcp-servers.ts";
import type { AuthorizationRows } from "./mcp/oauth/authorization-rows.ts";

const MAX_MESSAGE_CHARS = 500;
const UNEXPECTED = "this answer is not expected, or not any more: connect again";

interface ConnectDeps {
  readonly bus: Bus;
  readonly log: Logger;
  readonly masker: Pick<Masker, "mask">;
  /** Keyed by id, why a configured server cannot be used. */
  readonly unavailable: ReadonlyMap<string, string>;
  readonly servers: Pick<McpServers, "find"> | undefined;
  /** Undefined without the keys. */
  readonly authorizations: AuthorizationRows | undefined;
}

/**
 * Begins and finishes authorizations of servers by people, in a queue group with its replicas: another runner may finish than the one
 * that has begun.
 */
export function serveConnects({
  bus,
  log,
  masker,
  unavailable,
  servers,
  authorizations,
}: ConnectDeps): Disposable {
  const connectionsOf = (id: string) => {
    const { authorization, tokens } = servers?.find(id)?.connections ?? {};
    if (authorization !== undefined && tokens !== undefined) return { authorization, tokens };
    throw new Error(
      unavailable.get(id) ?? `no MCP server ${id} has auth type oauth in the tool-runner's configuration`,
    );
  };
  const orRefused = async <T>(work: () => Promise<T>) => {
    try {
      return await work();
    } catch (error) {
      const message = await maskOrWithhold(masker, errorMessage(error), rulesOfServer());
      log.warn({ error: message }, "MCP server not connected");
      return { kind: "refused" as const, message: message.slice(0, safeCut(message, MAX_MESSAGE_CHARS)) };
    }
  };
  const queue = TOOL_RUNNERS_GROUP;
  const connects = serveRequests(
    bus,
    { subject: SUBJECTS.mcpConnect, queue },
    connectCodecs,
    async ({ server, redirect_uri }) =>
      orRefused(async () => {
        const { authorization, tokens } = connectionsOf(server);
        const url = await tokens.inTime(async (fetchFn) => authorization.begin(redirect_uri, fetchFn));
        return { kind: "started" as const, authorization_url: url };
      }),
  );
  const callbacks = serveRequests(
    bus,
    { subject: SUBJECTS.mcpCallback, queue },
    callbackCodecs,
    async ({ state, code, iss }) =>
      orRefused(async () => {
        const begun = await authorizations?.take(state);
        if (begun === undefined) throw new Error(UNEXPECTED);
        const { server, text } = begun;
        const { authorization, tokens } = connectionsOf(server);
        await tokens.inTime(async (fetchFn) => authorization.finish({ text, code, iss }, fetchFn));
        tokens.forget();
        log.info({ server }, "MCP server connected");
        void servers?.find(server)?.probe();
        return { kind: "connected" as const, server };
      }),
  );
  return {
    [Symbol.dispose]: () => {
      connects.unsubscribe();
      callbacks.unsubscribe();
    },
  };
}
