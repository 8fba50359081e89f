import type { Bus } from "#shared/bus/open-bus.ts";
import { serveRequests } from "#shared/bus/request.ts";
import { SUBJECTS, TOOL_RUNNERS_GROUP } from "#shared/contracts/subjects.ts";
import { toolCallReplyCodec, toolCallRequestCodec } from "#shared/contracts/tool-call.ts";
import { toolListReplyCodec, toolListRequestCodec } from "#shared/contracts/tool-list.ts";
import { callStubTool, listStubTools } from "./stub-tools.ts";

/** Answers listings and calls on the bus, sharing them with its replicas; resolves once the server delivers them. */
export async function serveTools(bus: Bus): Promise<Disposable> {
  const group = { queue: TOOL_RUNNERS_GROUP };
  const lists = serveRequests(
    bus,
    { subject: SUBJECTS.toolsList, ...group },
    { request: toolListRequestCodec, reply: toolListReplyCodec },
    listStubTools,
  );
  const calls = serveRequests(
    bus,
    { subject: SUBJECTS.toolsCall, ...group },
    { request: toolCallRequestCodec, reply: toolCallReplyCodec },
    callStubTool,
  );
  await Promise.all([lists.live(), calls.live()]);
  return {
    [Symbol.dispose]: () => {
      calls.unsubscribe();
      lists.unsubscribe();
    },
  };
}
