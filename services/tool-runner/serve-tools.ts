import type { Bus } from "#shared/bus/open-bus.ts";
import { serveRequests } from "#shared/bus/request.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { SUBJECTS, TOOL_RUNNERS_GROUP } from "#shared/contracts/subjects.ts";
import {
  toolCallCancelCodec,
  toolCallReplyCodec,
  toolCallRequestCodec,
  toolReleaseCodec,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import { toolListReplyCodec, toolListRequestCodec } from "#shared/contracts/tool-list.ts";
import { answerCall, type CallDeps } from "./answer-call.ts";
import { listOfferedTools } from "./list-offered-tools.ts";

/**
 * Answers tool listings and calls from the bus, in a queue group with its replicas. Disposal takes no more requests and then
 * disposes the running calls (see `RunningCalls`).
 */
export function serveTools(deps: CallDeps & { readonly bus: Bus }): AsyncDisposable {
  const { bus, running, runnerId } = deps;
  const group = { queue: TOOL_RUNNERS_GROUP };
  const cancels = subscribe(bus, SUBJECTS.allToolCancels, toolCallCancelCodec, (cancel) =>
    running.cancel(cancel),
  );
  const lists = serveRequests(
    bus,
    { subject: SUBJECTS.toolsList, span: SUBJECTS.toolsList, ...group },
    { request: toolListRequestCodec, reply: toolListReplyCodec },
    async (request) => listOfferedTools(deps, request),
  );
  const releases = subscribe(bus, SUBJECTS.toolsRelease, toolReleaseCodec, (release) =>
    deps.held?.release(release),
  );
  const contract = { request: toolCallRequestCodec, reply: toolCallReplyCodec };
  const answer = async (request: ToolCallRequest) => answerCall(deps, request);
  const span = SUBJECTS.toolsCall;
  const calls = serveRequests(bus, { subject: SUBJECTS.toolsCall, span, ...group }, contract, answer);
  // Calls of executions whose connections this runner has; without the runner NATS answers at once that there is no subscriber.
  const ownCalls = serveRequests(bus, { subject: SUBJECTS.toolsCallOf(runnerId), span }, contract, answer);
  return {
    [Symbol.asyncDispose]: async () => {
      calls.unsubscribe();
      ownCalls.unsubscribe();
      releases.unsubscribe();
      lists.unsubscribe();
      await running[Symbol.asyncDispose]();
      cancels.unsubscribe();
    },
  };
}
