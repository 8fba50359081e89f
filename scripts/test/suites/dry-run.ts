import { connect } from "nats";
import { expect } from "chai";
import { parseNatsAddress } from "#shared/bus/nats-address.ts";
import { tarsyHere } from "../tarsy-here.ts";
import type { PipelineFixture } from "../../../test/support/pipeline-fixture.ts";

/** Without what is new in each prompt: the codes of frames and of masked values, and the time. */
const plain = (text: string) =>
  text
    .replaceAll(/\b[0-9a-f]{12}\b/gu, "code")
    .replaceAll(/(?<=MASKED_\w+:)\w+/gu, "code")
    .replaceAll(/(?<=time: )\S+/gu, "time");

export function dryRuns(opened: () => PipelineFixture): void {
  describe("tarsy alert --dry-run", () => {
    let pipeline: PipelineFixture;
    const dryRun = async (...args: readonly string[]) => {
      const { api } = pipeline.system;
      return tarsyHere(
        ["alert", "--text", "disk full, password=Xy12pw34", "--dry-run", "--api", api, ...args],
        {},
      );
    };
    before(() => {
      pipeline = opened();
    });

    /** The rows of every table but those in which services keep their own state. */
    const count = async () => {
      const tables = await pipeline.servers.query(
        `SELECT table_name AS name, query_to_xml('SELECT count(*) FROM ' || quote_ident(table_name), false, true, '')::text AS rows
         FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
        [],
      );
      return tables.filter(
        (table) => !/^(?:audit_log|mcp_server_states)$/u.test(String(Reflect.get(Object(table), "name"))),
      );
    };

    it("shows chain, tools, prompt and cost, and stores and publishes nothing", async () => {
      const nats = await connect(parseNatsAddress(pipeline.servers.nats.url));
      const seen: string[] = [];
      nats.subscribe("tarsy.>", { callback: (_error, { subject }) => void seen.push(subject) });
      await nats.flush();
      const before = await count();
      const { code, out, errors } = await dryRun("--type", "act");
      expect(code, errors).to.equal(0);
      await nats.flush();
      expect(seen).to.deep.equal(["tarsy.tools.list"]);
      await nats.close();
      expect(await count()).to.deep.equal(before);
      expect(out)
        .to.include("Alert type  act (as given)\n")
        .and.include("Chain       act-chain, which has this alert type\n")
        .and.include("  Actor: native-thinking, ")
        .and.include("    k8s.remove  write, asks a person\n")
        .and.include("--- system\n")
        .and.include("disk full")
        .and.include("Nothing was started.\n")
        .and.not.include("Xy12pw34");
      expect(out).to.match(/First prompt, about \d{3,} tokens:\n/u);
    });

    it("shows the prompt that the session then begins with, and what such sessions have cost", async () => {
      const { out } = await dryRun("--type", "test", "--json");
      const shown: unknown = JSON.parse(out);
      expect(shown).to.include({ alert_type: "test", alert_type_is: "as given", chain_id: "test-chain" });
      const id = await pipeline.client.submit("disk full, password=Xy12pw34", { alert_type: "test" });
      await pipeline.client.waitFor(id, ["completed"]);
      const messages = await pipeline.servers.query(
        `SELECT role, content FROM messages WHERE session_id = $1 AND sequence_number <= 2
         AND execution_id = (SELECT execution_id FROM messages WHERE session_id = $1 ORDER BY seq LIMIT 1) ORDER BY sequence_number`,
        [id],
      );
      const prompt: unknown = Reflect.get(Object(shown), "prompt");
      expect(JSON.parse(plain(JSON.stringify(prompt)))).to.deep.equal(
        JSON.parse(plain(JSON.stringify(messages))),
      );
      const again = await dryRun("--type", "test");
      expect(again.out).to.match(/Expected cost: (?:[\d.]+ USD, the average of \d+ sessions|unknown)/u);
    });

    it("says what is wrong like a submission", async () => {
      expect(await dryRun("--type", "odd")).to.deep.include({ code: 4 });
      expect((await dryRun("--type", "odd")).errors).to.include("no chain found for alert type 'odd'");
    });
  });
}
