import type { Bus } from "#shared/bus/open-bus.ts";
import { serveRequests } from "#shared/bus/request.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { SUBJECTS, TOOL_RUNNERS_GROUP } from "#shared/contracts/subjects.ts";
import {
  toolCallCancelCodec,
  toolCallReplyCodec,
  toolCallRequestCodec,
} from "#shared/contracts/tool-call.ts";
import {
  toolListReplyCodec,
  toolListRequestCodec,
  type ToolListReply,
  type ToolListRequest,
} from "#shared/contracts/tool-list.ts";
import { answerCall, type CallDeps } from "./answer-call.ts";
import type { ToolCatalogue } from "./tool.ts";

/**
 * Answers tool listings and calls from the bus, in a queue group with its replicas. Resolves once the subscriptions are
 * live. Disposal takes no more requests and then disposes the running calls (see `RunningCalls`).
 */
export async function serveTools(deps: CallDeps & { readonly bus: Bus }): Promise<AsyncDisposable> {
  const { bus, tools, running } = deps;
  const group = { queue: TOOL_RUNNERS_GROUP };
  const cancels = subscribe(bus, SUBJECTS.allToolCancels, toolCallCancelCodec, (cancel) =>
    running.cancel(cancel),
  );
  const lists = serveRequests(
    bus,
    { subject: SUBJECTS.toolsList, ...group },
    { request: toolListRequestCodec, reply: toolListReplyCodec },
    (request) => answerList(tools, request),
  );
  const calls = serveRequests(
    bus,
    { subject: SUBJECTS.toolsCall, ...group },
    { request: toolCallRequestCodec, reply: toolCallReplyCodec },
    async (request) => answerCall(deps, request),
  );
  await Promise.all([cancels.live(), lists.live(), calls.live()]);
  return {
    [Symbol.asyncDispose]: async () => {
      calls.unsubscribe();
      lists.unsubscribe();
      await running[Symbol.asyncDispose]();
      cancels.unsubscribe();
    },
  };
}

/** Lists the tools of the requested servers, server by server in the order of the request. */
function answerList(tools: ToolCatalogue, { server_ids }: ToolListRequest): ToolListReply {
  const all = [...tools.values()].map(({ description }) => description);
  return {
    tools: [...new Set(server_ids)].flatMap((id) => all.filter(({ server }) => server === id)),
  };
}
