import type { Bus } from "#shared/bus/open-bus.ts";
import { serveRequests } from "#shared/bus/request.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { SUBJECTS, TOOL_RUNNERS_GROUP } from "#shared/contracts/subjects.ts";
import {
  toolCallCancelCodec,
  toolCallReplyCodec,
  toolCallRequestCodec,
} from "#shared/contracts/tool-call.ts";
import { toolListReplyCodec, toolListRequestCodec } from "#shared/contracts/tool-list.ts";
import { answerCall, type CallDeps } from "./answer-call.ts";
import { listTools } from "./list-tools.ts";

/**
 * Answers listings and calls on the bus, sharing them with its replicas; resolves once the server delivers them.
 * Disposal takes no more calls and lets go of the running ones as `RunningCalls` says.
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
    (request) => listTools(tools, request),
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
