import { expect } from "chai";
import { geminiRequest, message, openGateway } from "./open-gateway.ts";

describe("llm-gateway before it calls Gemini", () => {
  it("refuses a second system message, an unknown role and an empty conversation", async () => {
    await using gateway = await openGateway();
    for (const [messages, words] of [
      [[message("system", "a"), message("system", "b"), message("user", "c")], "messages[1]"],
      [[message("robot", "a")], '"robot"'],
      [[], "messages"],
    ] as const) {
      const { error } = await gateway.ask(geminiRequest("http://127.0.0.1:9", { messages: [...messages] }));
      expect(error).to.deep.include({ code: "invalid_request", retryable: false });
      expect(error?.message).to.contain(words);
    }
  });

  it("refuses an invalid base_url and providers it cannot serve", async () => {
    await using gateway = await openGateway();
    for (const url of ["file:///etc/passwd", "nonsense", "http://user:secret@127.0.0.1:9"]) {
      const { error } = await gateway.ask(geminiRequest(url));
      expect(error).to.deep.include({ code: "invalid_request", retryable: false });
      expect(error?.message).not.to.contain("secret");
    }
    const { error } = await gateway.ask(geminiRequest("http://127.0.0.1:9", {}, { backend: "nonsense" }));
    expect(error).to.deep.include({ code: "invalid_backend", retryable: false });
  });
});
