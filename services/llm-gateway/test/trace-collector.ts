import { once } from "node:events";
import { createServer } from "node:net";
import { listen } from "#shared/service/listen.ts";

/** Variables by which the SDKs would send traces and headers. */
export const tempting = (collector: string) => ({
  LANGSMITH_TRACING: "true",
  LANGCHAIN_TRACING_V2: "true",
  LANGSMITH_API_KEY: "traces-key",
  LANGSMITH_ENDPOINT: collector,
  LANGCHAIN_ENDPOINT: collector,
  LANGCHAIN_VERBOSE: "true",
  OPENAI_CUSTOM_HEADERS: "x-stray: yes",
});

/** A trace collector: a server that closes every connection immediately. */
export async function openCollector() {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  const called = once(server, "connection");
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`,
    called,
    calls: () => count,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, "close");
    },
  };
}
