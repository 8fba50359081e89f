import { expect } from "chai";
import { request } from "#shared/bus/request.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolCallProgressCodec,
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallProgress,
} from "#shared/contracts/tool-call.ts";
import { toolCallRequest } from "../../../test/support/tool-call-request.ts";
import { ToolFixture } from "../../../test/support/tool-fixture.ts";
import { until } from "../../../test/support/until.ts";
import { describeEffect } from "../stub/apply-tool-rules.ts";
import type { Tool } from "../tool.ts";
import { serveInProcess } from "./serve-in-process.ts";

const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };
const TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

describe("the progress of a call", () => {
  it("reaches its execution masked, at most twice a second, the newest always", async () => {
    await using fixture = await ToolFixture.start({});
    const session = await fixture.session({ mcp_servers: ["lab"] });
    const done = Promise.withResolvers<void>();
    const tool: Tool = {
      description: {
        name: "lab.walk",
        server: "lab",
        description: "",
        parameters_schema: '{"type":"object"}',
        ...describeEffect("read"),
      },
      call: async (_args, _signal, { beforeSend, onProgress }) => {
        await beforeSend();
        for (let progress = 1; progress <= 100; progress += 1) {
          onProgress?.({
            progress,
            total: 100,
            message: `step ${progress} with ${TOKEN} ${"é".repeat(2_000)}`,
          });
        }
        await done.promise;
        return { isError: false, content: ["done"] };
      },
    };
    await using _ = await serveInProcess(fixture, [tool]);
    const told: ToolCallProgress[] = [];
    const feed = subscribe(
      fixture.bus,
      SUBJECTS.toolProgress(session.executionId),
      toolCallProgressCodec,
      (progress) => told.push(progress),
    );
    await feed.live();
    const call = toolCallRequest(session, "lab.walk");
    const answer = request(fixture.bus, SUBJECTS.toolsCall, CONTRACT, call, 30_000);
    await until("the newest has arrived", () => told.some(({ progress }) => progress === 100));
    done.resolve();
    await answer;
    feed.unsubscribe();
    expect(told.map(({ progress }) => progress)).to.deep.equal([1, 100]);
    expect(told[0]).to.include({ call_id: call.call_id, total: 100 });
    expect(told[0]?.message).to.match(/^step 1 with \[?[^g]*MASKED/u);
    expect(JSON.stringify(told)).not.to.contain(TOKEN);
    for (const one of told) expect(Buffer.byteLength(JSON.stringify(one))).to.be.below(1_024);
  });
});
