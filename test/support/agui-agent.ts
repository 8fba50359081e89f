import { HttpAgent, type AgentSubscriber } from "@ag-ui/client";
import type { BaseEvent, Interrupt, Message, RunAgentInput } from "@ag-ui/core";
import { EventSchemas } from "@ag-ui/core/schemas";

type Resume = NonNullable<RunAgentInput["resume"]>;

/** What a client has after a run. */
interface AguiRunSeen {
  readonly events: readonly BaseEvent[];
  readonly messages: readonly Message[];
  /** The questions with which the run ended. */
  readonly interrupts: readonly Interrupt[];
}

interface AguiAgentOptions {
  readonly url: string;
  readonly threadId?: string;
  readonly headers?: Record<string, string>;
  /** By default the network. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * The client of AG-UI's authors. It fails if an event is not as the protocol's schemas say, or comes where the protocol does not allow
 * it.
 */
export class AguiAgent {
  readonly #agent: HttpAgent;

  constructor({ fetch, ...options }: AguiAgentOptions) {
    this.#agent = new HttpAgent({ ...options, ...(fetch === undefined ? {} : { fetch }) });
  }

  get threadId(): string {
    return this.#agent.threadId;
  }

  say(content: string, id = crypto.randomUUID()): void {
    this.#agent.addMessage({ id, role: "user", content });
  }

  /** Runs the agent once. Rejects if the run fails; `onEvent` sees each event as it comes. */
  async run({
    resume,
    forwardedProps,
    signal,
    onEvent = () => undefined,
  }: {
    readonly resume?: Resume;
    readonly forwardedProps?: object;
    readonly signal?: AbortController;
    readonly onEvent?: (event: BaseEvent) => void;
  } = {}): Promise<AguiRunSeen> {
    const events: BaseEvent[] = [];
    let failure: Error | undefined;
    const subscriber: AgentSubscriber = {
      // Otherwise the client prints it.
      onRunFailed: ({ error }) => {
        failure = error;
        const quiet: object = { stopPropagation: true };
        return quiet;
      },
      onEvent: ({ event }) => {
        EventSchemas.parse(event);
        events.push(event);
        onEvent(event);
      },
    };
    await this.#agent.runAgent(
      {
        ...(resume === undefined ? {} : { resume }),
        ...(forwardedProps === undefined ? {} : { forwardedProps }),
        ...(signal === undefined ? {} : { abortController: signal }),
      },
      subscriber,
    );
    if (failure !== undefined) throw failure;
    return {
      events,
      messages: structuredClone(this.#agent.messages),
      interrupts: this.#agent.pendingInterrupts,
    };
  }
}

/** Gives events to the client as if a server had sent them. */
export async function readAsClient(events: readonly object[]): Promise<AguiRunSeen> {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const headers = { "content-type": "text/event-stream" };
  const agent = new AguiAgent({
    url: "http://agui.test/",
    fetch: () => Promise.resolve(new Response(body, { headers })),
  });
  return agent.run();
}
