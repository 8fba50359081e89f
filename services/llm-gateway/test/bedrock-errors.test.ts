import { expect } from "chai";
import { encodeException, encodeMessage } from "../../../test/support/event-stream.ts";
import type { SseHandler } from "../../../test/support/sse-server.ts";
import { done, playBedrock, says, sends, start } from "./bedrock-wire.ts";

describe("llm-gateway when Bedrock fails", () => {
  it("translates the exceptions of responses", async () => {
    const failing =
      (status: number, type: string, text: string): SseHandler =>
      (reply) =>
        reply.fail(status, { message: text }, { "x-amzn-errortype": `${type}:http://internal.amazon.com/` });
    const cases: [number, string, string, string][] = [
      [403, "AccessDeniedException", "You don't have access to the model", "credentials"],
      [403, "UnrecognizedClientException", "The security token included is invalid", "credentials"],
      [400, "ValidationException", "The provided model identifier is invalid.", "invalid_request"],
      [400, "ValidationException", "Input is too long for requested model.", "context_too_long"],
      [404, "ResourceNotFoundException", "no such model", "invalid_request"],
    ];
    for (const [status, type, text, code] of cases) {
      const { error, requests } = await playBedrock(failing(status, type, text));
      expect(error, type).to.deep.include({ code, retryable: false });
      expect(error?.message).to.contain(text);
      expect(requests).to.have.length(1);
    }
    const denied = await playBedrock(failing(403, "AccessDeniedException", "no"));
    expect(denied.error?.message).to.contain("AWS_ID, AWS_SECRET");
    for (const [status, type] of [
      [429, "ThrottlingException"],
      [503, "ServiceUnavailableException"],
      [429, "ModelNotReadyException"],
      [500, "InternalServerException"],
      [424, "ModelErrorException"],
      [408, "ModelTimeoutException"],
    ] as const) {
      const { text, requests } = await playBedrock([
        failing(status, type, "Too many tokens, please wait"),
        done,
      ]);
      expect(text, type).to.equal("done");
      expect(requests).to.have.length(2);
    }
  });

  it("translates the exceptions in a stream", async () => {
    for (const type of ["throttlingException", "serviceUnavailableException", "modelStreamErrorException"]) {
      const retried = await playBedrock([sends(start, encodeException(type, "later")), done]);
      expect(retried.text, type).to.equal("done");
      const { error, text } = await playBedrock(sends(start, ...says("hi"), encodeException(type, "later")));
      expect(text).to.equal("hi");
      expect(error).to.deep.include({ code: "partial_stream_error", retryable: true });
      expect(error?.message).to.contain("later");
    }
    const invalid = await playBedrock(
      sends(encodeException("validationException", "messages: roles must alternate")),
    );
    expect(invalid.error).to.deep.include({ code: "invalid_request", retryable: false });
    const unmodelled = await playBedrock(
      sends(
        start,
        encodeMessage({ ":message-type": "error", ":error-code": "Oops", ":error-message": "broken" }, {}),
      ),
    );
    expect(unmodelled.error?.message).to.contain("broken");
  });
});
