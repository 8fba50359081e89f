import { expect } from "chai";
import { NOTHING_LISTENS } from "../../../test/support/nothing-listens.ts";
import { CHAT_SERVERS } from "../providers/langchain/servers/chat-servers.ts";
import { TEST_KEY_ENV, openGateway } from "./open-gateway.ts";
import { chatRequest } from "./wire.ts";

describe("llm-gateway with a provider of the langchain backend", () => {
  it("names the variable when it is not set, and makes no request", async () => {
    await using gateway = await openGateway({ env: {} });
    for (const provider of ["openai", "anthropic", ...Object.keys(CHAT_SERVERS)]) {
      const { error } = await gateway.ask(chatRequest(provider, "http://127.0.0.1:9"));
      expect(error).to.deep.include({ code: "credentials", retryable: false });
      expect(error?.message).to.contain(TEST_KEY_ENV);
    }
  });

  it("requires a key or a base_url", async () => {
    await using gateway = await openGateway();
    const { error } = await gateway.ask(chatRequest("openai", "", {}, { apiKeyEnv: "" }));
    expect(error).to.deep.include({ code: "credentials", retryable: false });
    expect(error?.message).to.contain("api_key_env").and.to.contain("base_url");
  });

  it("refuses an invalid base_url without repeating it", async () => {
    await using gateway = await openGateway();
    for (const provider of ["openai", "anthropic", "xai", "mistral", "vertexai"]) {
      for (const url of ["file:///etc/passwd", "nonsense", "http://user:secret@127.0.0.1:9"]) {
        const { error } = await gateway.ask(chatRequest(provider, url, {}, { project: "p" }));
        expect(error).to.deep.include({ code: "invalid_request", retryable: false });
        expect(error?.message).not.to.contain("secret");
      }
    }
  });

  it("says why the provider cannot be reached", async () => {
    await using gateway = await openGateway();
    for (const provider of ["openai", "anthropic", ...Object.keys(CHAT_SERVERS)]) {
      const { error } = await gateway.ask(chatRequest(provider, NOTHING_LISTENS));
      expect(error).to.deep.include({ code: "max_retries", retryable: true });
      expect(error?.message).to.contain("ECONNREFUSED");
    }
  });

  it("refuses a backend that cannot serve the provider", async () => {
    await using gateway = await openGateway();
    for (const config of [{ backend: "google-native" }, { backend: "unheard-of" }]) {
      const { error } = await gateway.ask(chatRequest("openai", "http://127.0.0.1:9", {}, config));
      expect(error).to.deep.include({ code: "invalid_backend", retryable: false });
    }
  });
});
