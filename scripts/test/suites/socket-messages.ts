import { Ajv } from "ajv";
import { expect } from "chai";
import { DIALECT_MESSAGES } from "#shared/contract-view/dialect-messages.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { NOTIFIER_MESSAGES } from "#shared/contracts/socket-messages.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { closedSchema } from "../../../services/api/test/closed-schema.ts";
import { ContractClient } from "../../../test/support/contract-client.ts";
import type { PipelineFixture } from "../../../test/support/pipeline-fixture.ts";

const parseSchema = compileParser("schema", Type.Object({}, { additionalProperties: true }));

export function socketMessages(opened: () => PipelineFixture): void {
  describe("docs/asyncapi.json, beside a system", () => {
    /** Messages that no schema of these describes, or that have other members. */
    const undescribed = (messages: readonly unknown[], schemas: Readonly<Record<string, object>>) => {
      const closed = closedSchema(JSON.parse(JSON.stringify({ anyOf: Object.values(schemas) })));
      const validate = new Ajv({ strict: false }).compile({ ...parseSchema(closed) });
      return messages.filter((message) => !validate(message));
    };

    it("describes every message that a client gets of a session, without other members, on both paths", async () => {
      const pipeline = opened();
      const id = await pipeline.client.submitUntilAccepted("disk full");
      using watch = await pipeline.client.watch(id, { after_seq: 0 });
      await watch.next("session.completed");
      expect(undescribed(watch.messages, NOTIFIER_MESSAGES)).to.deep.equal([]);
      const types = new Set(watch.messages.map(({ type }) => type));
      expect([...types]).to.include.members([
        "connection.established",
        "timeline_event.created",
        "session.completed",
      ]);
      using existing = new ContractClient(pipeline.system.dialect, id);
      await existing.until(() => existing.status === "completed");
      expect(undescribed(existing.messages, DIALECT_MESSAGES)).to.deep.equal([]);
      expect(existing.messages.map(({ type }) => type)).to.include("stage.status");
    });
  });
}
