import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
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
});
