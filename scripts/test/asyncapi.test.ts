import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect } from "chai";
import { DIALECT_MESSAGES } from "#shared/contract-view/dialect-messages.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { NOTIFIER_MESSAGES } from "#shared/contracts/socket-messages.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { closedSchema } from "../../services/api/test/closed-schema.ts";
import { ContractClient } from "../../test/support/contract-client.ts";
import { PipelineFixture } from "../../test/support/pipeline-fixture.ts";
import { GATED_SCRIPT } from "../../test/support/scripts.ts";
import { ASYNCAPI_FILE, asyncApiDocument } from "../asyncapi-document.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const parseSchema = compileParser("schema", Type.Object({}, { additionalProperties: true }));

describe("docs/asyncapi.json", () => {
  it("is what the schemas of the messages say: npm run schemas writes it", async () => {
    const written: unknown = JSON.parse(await readFile(join(ROOT, ASYNCAPI_FILE), "utf8"));
    expect(written).to.deep.equal(JSON.parse(JSON.stringify(asyncApiDocument())));
  });

  it("is valid AsyncAPI 3", async () => {
    const file = createRequire(import.meta.url).resolve("@asyncapi/specs/schemas/3.0.0.json");
    const schema: unknown = JSON.parse(await readFile(file, "utf8"));
    const validate = new Ajv({
      strict: false,
      validateFormats: false,
      meta: false,
      validateSchema: false,
    }).compile({ ...parseSchema(schema) });
    const isValid = validate(JSON.parse(JSON.stringify(asyncApiDocument())));
    expect(isValid, JSON.stringify(validate.errors).slice(0, 1_000)).to.equal(true);
  });

  /** Messages that no schema of these describes, or that have other members. */
  const undescribed = (messages: readonly unknown[], schemas: Readonly<Record<string, object>>) => {
    const closed = closedSchema(JSON.parse(JSON.stringify({ anyOf: Object.values(schemas) })));
    const validate = new Ajv({ strict: false }).compile({ ...parseSchema(closed) });
    return messages.filter((message) => !validate(message));
  };

  it("describes every message that a client gets of a session, without other members, on both paths", async () => {
    await using pipeline = await PipelineFixture.start({ config: { script: GATED_SCRIPT } });
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
