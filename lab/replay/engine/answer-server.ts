import { rm } from "node:fs/promises";
import { Metadata, Server, ServerCredentials, status, type ServerWritableStream } from "@grpc/grpc-js";
import { errorMessage } from "#shared/errors.ts";
import {
  LLMServiceService,
  type GenerateRequest,
  type GenerateResponse,
} from "#shared/generated/llm/v1/llm.ts";

type Call = ServerWritableStream<GenerateRequest, GenerateResponse>;

/** The chunks of a reply, of which the last one is final; `signal` aborts once the caller has given up. */
type Answer = (request: GenerateRequest, signal: AbortSignal) => Promise<readonly GenerateResponse[]>;

/** A server in the place of the llm-gateway. */
interface AnswerServer extends AsyncDisposable {
  /** Its gRPC target. */
  readonly address: string;
}

/** Answers the calls of executors on a Unix socket. A call whose answer throws ends as if the connection had broken. */
export async function serveAnswers({
  socketPath,
  maxMessageBytes,
  answer,
}: {
  readonly socketPath: string;
  readonly maxMessageBytes: number;
  readonly answer: Answer;
}): Promise<AnswerServer> {
  const server = new Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
  });
  server.addService(LLMServiceService, { generate: (call: Call) => void handle(call, answer) });
  const address = `unix:${socketPath}`;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.bindAsync(address, ServerCredentials.createInsecure(), (error) => {
    if (error === null) resolve();
    else reject(error);
  });
  await promise;
  return {
    address,
    [Symbol.asyncDispose]: async () => {
      server.forceShutdown();
      await rm(socketPath, { force: true });
    },
  };
}

async function handle(call: Call, answer: Answer): Promise<void> {
  const cancelled = new AbortController();
  call.on("cancelled", () => cancelled.abort());
  // Its caller has given the call up, so the error has no reader.
  call.on("error", () => undefined);
  call.sendMetadata(new Metadata());
  try {
    for (const chunk of await answer(call.request, cancelled.signal)) call.write(chunk);
    call.end();
  } catch (error) {
    call.emit("error", { code: status.UNAVAILABLE, details: errorMessage(error) });
  }
}
