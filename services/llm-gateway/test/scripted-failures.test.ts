import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { openGateway, scriptedRequest, type Answer } from "./open-gateway.ts";

/** The answer of a gateway that plays this script. */
async function play(
  calls: object[],
  { stallMs = 20, ...options }: { stallMs?: number; deadline?: number } = {},
): Promise<Answer> {
  await using stack = new AsyncDisposableStack();
  const configDir = await mkdtemp(join(tmpdir(), "tarsy-scripts-"));
  stack.defer(() => rm(configDir, { recursive: true }));
  await writeFile(join(configDir, "script.yaml"), stringify({ calls }));
  await using gateway = await openGateway({ configDir, stallMs });
  return await gateway.ask(scriptedRequest("script.yaml"), options);
}

describe("scripted provider that fails", () => {
  for (const [kind, code, words] of [
    ["stall", "timeout", "sent nothing for 0.02 s"],
    ["reset", "provider_error", "ECONNRESET"],
    ["garbage", "provider_error", "no JSON"],
  ] as const) {
    it(`ends with ${code} on ${kind} before any output, and with partial_stream_error after some`, async () => {
      const before = await play([{ steps: [{ delay: "1ms" }, { [kind]: true }] }]);
      expect(before.error).to.deep.include({ code, retryable: true });
      expect(before.error?.message).to.contain(words);
      const after = await play([{ steps: [{ text: "half" }, { [kind]: true }] }]);
      expect(after.text).to.equal("half");
      expect(after.error).to.deep.include({ code: "partial_stream_error", retryable: true });
      expect(after.error?.message).to.contain(words);
    });
  }

  const limited = (rest: object = {}) => ({
    error: { code: "rate_limited", message: "slow down", retryable: true, retry_after: "5ms", ...rest },
  });

  it("is retried when the script has retry_after, and may answer differently then", async () => {
    const { text, error } = await play([
      { when: { attempt: 1 }, steps: [limited()] },
      { when: { attempt: 2 }, steps: [limited()] },
      { steps: [{ text: "third time lucky" }] },
    ]);
    expect({ text, error }).to.deep.equal({ text: "third time lucky", error: undefined });
  });

  it("counts the tries before its answer that the provider may have charged, and no refused ones", async () => {
    const tried = async (...codes: readonly string[]) => {
      const failing = codes.map((code, index) => ({
        when: { attempt: index + 1 },
        steps: [limited({ code })],
      }));
      const { chunks } = await play([...failing, { steps: [{ text: "at last" }] }]);
      const usages = chunks.flatMap(({ content }) => (content?.$case === "usage" ? [content.value] : []));
      return usages.map(({ unreportedTries }) => unreportedTries);
    };
    expect(await tried("timeout", "provider_error")).to.deep.equal([2]);
    expect(await tried("rate_limited", "timeout")).to.deep.equal([1]);
    expect(await tried("overloaded", "rate_limited")).to.deep.equal([undefined]);
    expect(await tried()).to.deep.equal([undefined]);
  });

  it("is given up after three tries", async () => {
    const { error } = await play([{ steps: [limited()] }]);
    expect(error).to.deep.include({ code: "max_retries", retryable: true });
    expect(error?.message).to.contain("slow down");
  });

  it("is not retried past the caller's deadline, after some output, or without retry_after", async () => {
    const late = await play([{ steps: [limited({ retry_after: "25s" })] }], {
      deadline: Date.now() + 20_000,
    });
    expect(late.error).to.deep.include({ code: "rate_limited", retryable: true });
    const half = await play([{ when: { attempt: 1 }, steps: [{ text: "half" }, limited()] }, { steps: [] }]);
    expect(half.error).to.deep.include({ code: "rate_limited", retryable: true });
    const unasked = await play([
      { when: { attempt: 1 }, steps: [limited({ retry_after: undefined })] },
      { steps: [{ text: "never" }] },
    ]);
    expect(unasked.error).to.deep.include({ code: "rate_limited", retryable: true });
  });

  it("passes the script's delay on to the caller, at once with retried: false", async () => {
    const tried = await play([{ steps: [limited()] }]);
    expect(tried.error).to.deep.include({ code: "max_retries", retryAfterMs: 5 });
    const long = await play([{ steps: [limited({ retry_after: "48s" })] }]);
    expect(long.error).to.deep.include({ code: "rate_limited", retryAfterMs: 48_000 });
    const once = await play([
      { when: { attempt: 1 }, steps: [limited({ retried: false })] },
      { steps: [{ text: "never" }] },
    ]);
    expect(once).to.deep.include({ text: "" });
    expect(once.error).to.deep.include({ code: "rate_limited", retryable: true, retryAfterMs: 5 });
    const silent = await play([{ steps: [limited({ retry_after: undefined })] }]);
    expect(silent.error).to.have.property("retryAfterMs", undefined);
  });

  it("is stopped by the output limit when it never ends", async () => {
    const { error, text } = await play([{ steps: [{ text: "x".repeat(10_000), repeat: 1_000_000 }] }]);
    expect(error).to.deep.include({ code: "provider_error", retryable: true });
    expect(text.length).to.be.within(1_000_000, 1024 * 1024);
  });

  it("is refused with retry_after on an error that is not retryable, or no duration there", async () => {
    for (const [rest, words] of [
      [{ retryable: false }, "retryable: true only"],
      [{ retry_after: "soon" }, 'error.retry_after "soon"'],
      [{ retry_after: undefined, retried: false }, "retried: it goes with retry_after only"],
    ] as const) {
      const { error } = await play([{ steps: [limited(rest)] }]);
      expect(error).to.deep.include({ code: "invalid_request", retryable: false });
      expect(error?.message).to.contain(words);
    }
  });
});
