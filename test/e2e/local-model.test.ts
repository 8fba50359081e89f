import { expect } from "chai";
import { BackingServers } from "../support/backing-servers.ts";
import { shortAnswers } from "../support/local-model/short-answers.ts";
import { LOCAL_MODEL, startLocalModel } from "../support/local-model/start-local-model.ts";
import { NIGHTLY } from "../support/nightly.ts";
import { TarsyClient, type SessionWatch } from "../support/tarsy-client.ts";
import { TarsySystem } from "../support/tarsy-system.ts";
import { until } from "../support/until.ts";

/** The prompt alone has some thousand tokens, which two cores evaluate slowly. */
const PATIENCE_MS = 25 * 60_000;
const SHORT_ANSWER_TOKENS = 48;

const chunks = ({ messages }: SessionWatch) => messages.filter(({ type }) => type === "stream.chunk");

// Takes minutes, and downloads a model.
if (NIGHTLY) {
  describe("an investigation by a real model on this machine", function investigate() {
    this.timeout(2 * PATIENCE_MS);
    const resources = new AsyncDisposableStack();
    let client: TarsyClient;

    before(async () => {
      const model = resources.use(await startLocalModel());
      const servers = resources.use(await BackingServers.choose({ ownServers: true }));
      const config = resources.use(await shortAnswers(SHORT_ANSWER_TOKENS));
      const env = { LOCAL_MODEL, LOCAL_MODEL_URL: model.url };
      client = new TarsyClient(
        resources.use(await TarsySystem.start({ servers, configDir: config.path, env })),
      );
    });
    after(() => resources.disposeAsync());

    it("streams its answer and completes, with one evaluation of each prompt", async () => {
      const id = await client.submit("The disk of web-1 is full.", { runbook: "Look at the disk." });
      using watch = await client.watch(id);
      const session = await client.waitFor(id, ["completed", "failed", "timed_out"], PATIENCE_MS);
      expect(session).to.include({ status: "completed" });
      expect(session.final_analysis).not.to.equal("");
      expect(chunks(watch).length).to.be.greaterThan(1);
      const trace = await client.request("GET", `/api/v1/sessions/${id}/trace`);
      expect(JSON.stringify(trace.body)).not.to.contain("interrupted");
    });

    it("streams the answer to a question about it, and stops the model when that answer is cancelled", async () => {
      const id = await client.submit("The disk of web-3 is full.", { runbook: "Look at the disk." });
      await client.waitFor(id, ["completed"], PATIENCE_MS);
      const before = await client.session(id);
      using watch = await client.watch(id);
      const ask = async (content: string) => {
        const asked = await client.request("POST", `/api/v1/sessions/${id}/chat/messages`, { content });
        expect(asked.status).to.equal(202);
        const stage = String(asked.body["stage_id"]);
        const entries = () => watch.messages.filter(({ stage_id }) => stage_id === stage);
        const ofStage = () =>
          chunks(watch).filter((chunk) => entries().some(({ event_id }) => event_id === chunk["event_id"]));
        await until("the answer streams", () => ofStage().length > 0, PATIENCE_MS);
        return { stage, ofStage };
      };
      const endOf = async (stage: string) => {
        const ended = () =>
          watch.messages.find(({ type, stage_id }) => type === "stage.completed" && stage_id === stage);
        await until("the answer ends", () => ended() !== undefined, PATIENCE_MS);
        return ended()?.["status"];
      };

      const first = await ask("Which host is it?");
      expect(await endOf(first.stage)).to.equal("completed");
      expect(first.ofStage().length).to.be.greaterThan(1);
      const second = await ask("Say all that you know about disks.");
      expect((await client.request("POST", `/api/v1/sessions/${id}/cancel`)).status).to.equal(200);
      expect(await endOf(second.stage)).to.equal("cancelled");
      const { status, final_analysis } = await client.session(id);
      expect({ status, final_analysis }).to.deep.equal({
        status: "completed",
        final_analysis: before.final_analysis,
      });
    });

    it("stops the model when the session is cancelled", async () => {
      const id = await client.submit("The disk of web-2 is full.", { runbook: "Look at the disk." });
      using watch = await client.watch(id);
      await until("the answer streams", () => chunks(watch).length > 0, PATIENCE_MS);
      expect((await client.request("POST", `/api/v1/sessions/${id}/cancel`)).status).to.equal(200);
      expect((await client.waitFor(id, ["cancelled", "completed"])).status).to.equal("cancelled");
    });
  });
}
