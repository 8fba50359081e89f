import { once } from "node:events";
import { createServer } from "node:http";
import { expect } from "chai";
import { listen } from "#shared/service/listen.ts";
import { NOTHING_LISTENS } from "../../test/support/nothing-listens.ts";
import { findLocalModel } from "../find-local-model.ts";
import { rejectionOf } from "./rejection-of.ts";

/** A server that answers GET /v1/models with this body. */
async function openModelServer(body: string, status = 200) {
  const server = createServer((request, response) => {
    response.writeHead(request.url === "/v1/models" ? status : 404).end(body);
  });
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  const host = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  return {
    host,
    url: `http://${host}/v1`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, "close");
    },
  };
}

const models = (...ids: string[]) => JSON.stringify({ object: "list", data: ids.map((id) => ({ id })) });

describe("findLocalModel", () => {
  it("finds a model of Ollama under OLLAMA_HOST, with and without its tag", async () => {
    await using server = await openModelServer(models("qwen3:8b", "llama3:latest"));
    for (const host of [server.host, `http://${server.host}`, server.host.replace("127.0.0.1", "0.0.0.0")]) {
      for (const model of ["qwen3:8b", "llama3", "llama3:latest"]) {
        const found = await findLocalModel({ server: "ollama", model }, { OLLAMA_HOST: host });
        expect(found).to.deep.equal({ name: model, url: server.url });
      }
    }
  });

  it("takes the first model of another server, or the named one", async () => {
    await using server = await openModelServer(models("/models/a.gguf", "b"));
    const url = `${server.url}/`;
    expect(await findLocalModel({ server: "url", url, model: undefined }, {})).to.deep.equal({
      name: "/models/a.gguf",
      url: server.url,
    });
    expect((await findLocalModel({ server: "url", url, model: "b" }, {})).name).to.equal("b");
  });

  it("says which models there are, and how to get another", async () => {
    await using server = await openModelServer(models("a", "b"));
    const env = { OLLAMA_HOST: server.host };
    const error = await rejectionOf(findLocalModel({ server: "ollama", model: "c" }, env));
    expect(error).to.contain("has a, b").and.contain("ollama pull c");
    await using empty = await openModelServer(models());
    const none = await rejectionOf(findLocalModel({ server: "url", url: empty.url, model: undefined }, {}));
    expect(none).to.contain("lists no model");
  });

  it("says that no server answers, and that a server is of another kind", async () => {
    const away = await rejectionOf(
      findLocalModel({ server: "ollama", model: "m" }, { OLLAMA_HOST: NOTHING_LISTENS }),
    );
    expect(away).to.contain("ECONNREFUSED").and.contain("ollama serve");
    for (const [body, status] of [
      ["<html>", 200],
      ['{"models":[]}', 200],
      [models("m"), 401],
    ] as const) {
      await using server = await openModelServer(body, status);
      const error = await rejectionOf(findLocalModel({ server: "url", url: server.url, model: "m" }, {}));
      expect(error).to.contain(`${server.url}/models`).and.contain("ends in /v1");
    }
  });
});
