import { once } from "node:events";
import { setInterval } from "node:timers/promises";
import { status } from "@grpc/grpc-js";
import { expect } from "chai";
import type { SseHandler } from "../../../test/support/sse-server.ts";
import { until } from "../../../test/support/until.ts";
import type { Adapter } from "./adapters.ts";
import { answers, every, firstPart, openStage, opening, sends } from "./open-stage.ts";
import { prose } from "./wire.ts";
import { geminiFormat, type Piece } from "./wire-formats.ts";

const FINE: readonly Piece[] = [{ text: "fine" }];
const WELL: readonly Piece[] = [{ text: "well" }, { text: "more" }];
const HOUR_MS = 3_600_000;
const SILENT_MS = 250;

describe("the waits for every provider", () => {
  const resources = new AsyncDisposableStack();
  let stage: Awaited<ReturnType<typeof openStage>>;
  before(async () => {
    stage = resources.use(await openStage({ stallMs: SILENT_MS }));
  });
  after(() => resources.disposeAsync());

  it("end with timeout if nothing or only the head of an answer comes, and the socket is closed", () =>
    every(async (adapter) => {
      for (const handler of [() => undefined, sends(opening(adapter.format(FINE)))]) {
        const { error, requests } = await stage.play(adapter, handler);
        expect(error).to.deep.include({ retryable: true, retryAfterMs: undefined });
        expect(error?.message).to.contain(`sent nothing for ${SILENT_MS / 1_000} s`);
        // A server of the operator's own may still evaluate the prompt: it is asked once. The limit may end
        // a try before its request has arrived.
        const isGemini = adapter.format === geminiFormat;
        expect(error?.code).to.equal(isGemini ? "max_retries" : "timeout");
        expect(requests).to.have.length.of.at.most(isGemini ? 3 : 1);
        await Promise.all(requests.map(({ closed }) => closed));
      }
    }));

  it("end with partial_stream_error in mid-answer, and the socket is closed", () =>
    every(async (adapter) => {
      const stall = { firstChunkMs: HOUR_MS, betweenChunksMs: SILENT_MS };
      const begun = sends(firstPart(adapter.format(WELL)));
      const { error, text, requests } = await stage.play(adapter, begun, { config: { stall } });
      expect(text).to.equal("well");
      expect(error).to.deep.include({ code: "partial_stream_error", retryable: true });
      expect(error?.message).to.contain("sent nothing for");
      await requests[0]?.closed;
    }));

  it("are as long as the provider's own entry says, also after the head of an answer", () =>
    every(async (adapter) => {
      const frames = adapter.format(FINE);
      const begun = opening(frames);
      const thinks: SseHandler = (reply, request) => {
        void sends(begun)(reply, request);
        setTimeout(() => void answers(frames.slice(begun.length))(reply, request), 2 * SILENT_MS);
      };
      const stall = { firstChunkMs: HOUR_MS, betweenChunksMs: SILENT_MS };
      const { text, error, requests } = await stage.play(adapter, thinks, { config: { stall } });
      expect({ text, error }).to.deep.equal({ text: "fine", error: undefined });
      expect(requests).to.have.length(1);
    }));

  describe("while the provider sends something", () => {
    const EVERY_MS = 100;
    /** The limit before the first chunk also covers how the call begins, which may take long beside other work. */
    const LIMITS = {
      before: { stall: { firstChunkMs: 2_000, betweenChunksMs: HOUR_MS }, signs: 25 },
      within: { stall: { firstChunkMs: HOUR_MS, betweenChunksMs: 600 }, signs: 10 },
    };
    /** Sends something repeatedly, for longer than the provider may be silent: its heartbeat, or bytes of its first event. */
    const living =
      (adapter: Adapter, place: keyof typeof LIMITS, then: SseHandler): SseHandler =>
      async (reply, request) => {
        const frames = adapter.format(FINE);
        const begun = place === "before" ? opening(frames) : firstPart(frames);
        const [first] = frames;
        const bytes = Buffer.from(first?.raw ?? "");
        const inBytes = adapter.sign.length === 0;
        void sends(inBytes ? [] : begun)(reply, request);
        let number = 0;
        for await (const _ of setInterval(EVERY_MS)) {
          reply.raw(inBytes ? bytes.subarray(number, number + 1) : adapter.sign);
          number += 1;
          if (number === LIMITS[place].signs) break;
        }
        if (inBytes) reply.raw(bytes.subarray(number));
        void sends(frames.slice(inBytes ? 1 : begun.length))(reply, request);
        await then(reply, request);
      };

    for (const place of ["before", "within"] as const) {
      it(`go on ${place} the content of an answer`, () =>
        every(async (adapter) => {
          const handler = living(adapter, place, (reply) => reply.end());
          const config = { stall: LIMITS[place].stall };
          const { text, error, requests } = await stage.play(adapter, handler, { config });
          expect({ text, error }).to.deep.equal({ text: "fine", error: undefined });
          expect(requests).to.have.length(1);
        }));
    }

    it("end at the call's own deadline", () =>
      every(async (adapter) => {
        const endless = living(adapter, "before", () => undefined);
        const config = { stall: LIMITS.before.stall };
        const deadline = Date.now() + 800;
        const failed: unknown = await stage
          .play(adapter, endless, { config, deadline })
          .catch((error: unknown) => error);
        expect(failed).to.have.property("code", status.DEADLINE_EXCEEDED);
      }));
  });

  for (const when of ["before the answer", "in mid-answer"] as const) {
    it(`end with a cancel ${when}, which closes the socket`, async () => {
      await every(async (adapter) => {
        const begun = when === "in mid-answer" ? firstPart(adapter.format(WELL)) : [];
        const { call, request } = stage.begin(
          adapter,
          when === "in mid-answer" ? sends(begun) : () => undefined,
        );
        const failed = once(call, "end").catch((error: unknown) => error);
        const { closed } = await request;
        if (when === "in mid-answer") await once(call, "data");
        call.cancel();
        expect(await failed).to.include({ code: status.CANCELLED });
        await closed;
      });
      await until("no call is running", async () =>
        (await stage.gateway.metrics.metrics()).includes("tarsy_llm_calls_running 0"),
      );
      expect(await stage.gateway.metrics.metrics()).to.contain('outcome="cancelled"');
    });
  }

  it("end with an answer over the limit of output, which closes the socket", async () => {
    await using bounded = await openStage({ maxOutputBytes: 3_000 });
    await every(async (adapter) => {
      const frames = adapter.format([{ text: prose(2_000) }, { text: prose(2_000) }]);
      const { error, text, requests } = await bounded.play(
        adapter,
        sends(frames.filter(({ completes }) => completes !== true)),
      );
      expect(error?.message).to.contain("3000 bytes");
      expect(text).to.have.length(2_000);
      await requests[0]?.closed;
    });
  });
});
