import type { Bus } from "#shared/bus/open-bus.ts";
import { serveRequests } from "#shared/bus/request.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { SUBJECTS, TOOL_RUNNERS_GROUP } from "#shared/contracts/subjects.ts";
import {
  toolCallReplyCodec,
  toolCallRequestCodec,
  toolReleaseCodec,
  type ToolCallReply,
  type ToolCallRequest,
  type ToolRelease,
} from "#shared/contracts/tool-call.ts";
import {
  toolListReplyCodec,
  toolListRequestCodec,
  type ToolDescription,
  type ToolListReply,
} from "#shared/contracts/tool-list.ts";

type Answer = Omit<ToolCallReply, "call_id">;

/** What a test's runner lists, and how it answers calls. */
interface AnsweringRunnerOptions {
  readonly listing: ToolListReply;
  readonly answer?: (request: ToolCallRequest) => Answer | Promise<Answer>;
  /** If it is given, calls sent to this runner alone are served too. */
  readonly id?: string;
}

/** Answers listings and calls on the bus in the place of the tool-runners, as a test says; it claims nothing. */
export class AnsweringRunner implements Disposable {
  /** The calls asked for, in their order. */
  readonly requests: ToolCallRequest[] = [];
  /** Those that were sent to this runner alone. */
  readonly direct: ToolCallRequest[] = [];
  readonly releases: ToolRelease[] = [];
  /** The servers whose tools were asked for, by request. */
  readonly asked: (readonly string[])[] = [];
  readonly listing: ToolListReply;
  readonly #resources = new DisposableStack();

  private constructor(listing: ToolListReply) {
    this.listing = listing;
  }

  static async start(bus: Bus, options: AnsweringRunnerOptions): Promise<AnsweringRunner> {
    const { listing, answer = answerDone, id } = options;
    const runner = new AnsweringRunner(listing);
    const serveCalls = (to: { readonly subject: string; readonly queue?: string }, log: ToolCallRequest[]) =>
      serveRequests(
        bus,
        to,
        { request: toolCallRequestCodec, reply: toolCallReplyCodec },
        async (request) => {
          log.push(request);
          return { call_id: request.call_id, ...(await answer(request)) };
        },
      );
    const queue = TOOL_RUNNERS_GROUP;
    const subscriptions = [
      serveRequests(
        bus,
        { subject: SUBJECTS.toolsList, queue },
        { request: toolListRequestCodec, reply: toolListReplyCodec },
        ({ server_ids }) => {
          runner.asked.push(server_ids);
          return listing;
        },
      ),
      serveCalls({ subject: SUBJECTS.toolsCall, queue }, runner.requests),
      ...(id === undefined ? [] : [serveCalls({ subject: SUBJECTS.toolsCallOf(id) }, runner.direct)]),
      subscribe(bus, SUBJECTS.toolsRelease, toolReleaseCodec, (release) => runner.releases.push(release)),
    ];
    for (const subscription of subscriptions) {
      runner.#resources.defer(() => subscription.unsubscribe());
    }
    await Promise.all(subscriptions.map((subscription) => subscription.live()));
    return runner;
  }

  [Symbol.dispose](): void {
    this.#resources.dispose();
  }
}

/** The answer of a tool that says which call it was. */
export function answerDone({ name, arguments: args }: ToolCallRequest): Answer {
  return { answer: { kind: "result", content: `${name} did ${args}`, is_error: false } };
}

/** A tool as a listing describes it: without parameters, and read-only unless `more` says otherwise. */
export function listedTool(name: string, more: Partial<ToolDescription> = {}): ToolDescription {
  return {
    name,
    server: name.slice(0, name.indexOf(".")),
    description: "",
    parameters_schema: '{"type":"object"}',
    read_only: true,
    ...more,
  };
}
