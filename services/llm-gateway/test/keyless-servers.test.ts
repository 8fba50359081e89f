import { expect } from "chai";
import { isKeyless } from "#shared/agent-config/provider-keys.ts";
import { PROVIDER_TYPES } from "#shared/contracts/resolved-chain.ts";
import { openSseServer } from "../../../test/support/sse-server.ts";
import { modelRequest, openGateway } from "./open-gateway.ts";

describe("llm-gateway with a server that needs no key", () => {
  for (const type of PROVIDER_TYPES.filter((name) => isKeyless({ type: name, base_url: "http://x" }))) {
    if (type === "scripted" || type === "vertexai") continue;
    it(`sends none for provider type ${type}, as the check of the configuration allows`, async () => {
      await using server = await openSseServer((reply) => reply.fail(400, { error: { message: "seen" } }));
      await using gateway = await openGateway();
      const { error } = await gateway.ask(
        modelRequest({ provider: type, model: "m", baseUrl: server.url, apiKeyEnv: "" }),
      );
      expect(error).to.deep.include({ code: "invalid_request" });
      expect(error?.message).to.contain("seen");
      expect(server.requests[0]?.headers).not.to.have.any.keys(
        "authorization",
        "x-api-key",
        "x-goog-api-key",
      );
    });
  }
});
