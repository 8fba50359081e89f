import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { expect } from "chai";
import { ApiClient } from "#shared/client/api-client.ts";
import { ApiFailure } from "#shared/client/api-failure.ts";

const SILENCE_MS = 2_000;
/** An answer in parts takes longer than the limit, and each part a tenth of it. */
const PARTS = 12;
const PART_MS = 200;

describe("ApiClient", () => {
  /** A client of an api that answers each request so. */
  const clientOf = async (answer: (response: ServerResponse) => void) => {
    const server = createServer((_request, response) => answer(response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return {
      client: new ApiClient({ url: `http://127.0.0.1:${port}`, silenceMs: SILENCE_MS }),
      [Symbol.dispose]: () => {
        server.close();
        server.closeAllConnections();
      },
    };
  };
  const failureOf = async (call: Promise<unknown>) => {
    const failure: unknown = await call.catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(ApiFailure);
    return String(failure);
  };

  it("waits for an answer whose bytes keep arriving, however long it takes", async () => {
    using api = await clientOf((response) => {
      response.write('{"sessions":"');
      let parts = 0;
      const timer = setInterval(() => {
        parts += 1;
        response.write("x");
        if (parts < PARTS) return;
        clearInterval(timer);
        response.end('"}');
      }, PART_MS);
    });
    expect(await api.client.call("GET /api/v1/sessions")).to.deep.equal({ sessions: "x".repeat(PARTS) });
  });

  it("gives up an answer that does not begin, or stops in its middle", async () => {
    using silent = await clientOf(() => undefined);
    using stuck = await clientOf((response) => void response.write('{"sessions":['));
    const failures = [silent, stuck].map(({ client }) => failureOf(client.call("GET /api/v1/sessions")));
    for (const failure of await Promise.all(failures)) {
      expect(failure).to.include("no answer from http://127.0.0.1:");
    }
  });

  it("throws the reason of a signal that aborts while an answer arrives", async () => {
    const leaving = new AbortController();
    const reason = new Error("the reader left");
    using api = await clientOf((response) => {
      response.write("{");
      leaving.abort(reason);
    });
    const { signal } = leaving;
    const failure: unknown = await api.client
      .call("GET /api/v1/sessions", { signal })
      .catch((error: unknown) => error);
    expect(failure).to.equal(reason);
  });
});
