import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { apiRoutes } from "../app.ts";
import { openApiDocument } from "../openapi/openapi-document.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";

/** Those of an object; none of anything else. */
function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

const parseDocument = compileParser("document", Type.Object({}, { additionalProperties: true }));

describe("the OpenAPI document", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  it("is served, and is valid OpenAPI 3.1", async () => {
    const { status, text } = await api.raw("GET", "/api/v1/openapi.json");
    expect(status).to.equal(200);
    const validator = new Validator();
    const result = await validator.validate({ ...parseDocument(JSON.parse(text)) });
    expect(result.valid, JSON.stringify(result.errors ?? []).slice(0, 2_000)).to.equal(true);
    expect(validator.version).to.equal("3.1");
  });

  it("names every operation once", () => {
    const ids = apiRoutes(api.deps).map(({ id }) => id);
    expect(ids).to.have.length.above(50);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it("has the warnings about a body in every answer to one", () => {
    const { paths } = openApiDocument(apiRoutes(api.deps));
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const withBody = operations.filter((operation) => "requestBody" in operation);
    expect(withBody).to.have.length.above(10);
    for (const operation of withBody) {
      const { operationId, responses }: Record<string, unknown> = { ...operation };
      const answers = Object.entries(members(responses)).filter(([status]) => /^20[0-3]/u.test(status));
      // The other answer of a webhook is that to a handshake.
      const success = answers.length > 1 ? answers.filter(([status]) => status === "202") : answers;
      // An answer without a body, or with a stream, has no room for them.
      if ("204" in members(responses) || !JSON.stringify(success).includes('"application/json"')) continue;
      expect(success, String(operationId)).to.have.length(1);
      expect(JSON.stringify(components(success)), String(operationId)).to.include('"warnings"');
    }
    /** With the named schema that they refer to. */
    function components(value: unknown): unknown {
      const text = JSON.stringify(value);
      const name = /#\/components\/schemas\/(\w+)/u.exec(text)?.[1];
      const { schemas } = openApiDocument(apiRoutes(api.deps)).components;
      return name === undefined ? value : { value, named: { ...schemas }[name] };
    }
  });

  it("is for those who have a role, as what it describes", async () => {
    await using locked = await ApiFixture.start({ servers: api.servers, env: KEY_ACCESS });
    expect((await locked.raw("GET", "/api/v1/openapi.json")).status).to.equal(401);
    const none = await locked.raw("GET", "/api/v1/openapi.json", { headers: await locked.keyOf("a", []) });
    expect(none.status).to.equal(403);
    const headers = await locked.keyOf("b", ["viewer"]);
    expect((await locked.raw("GET", "/api/v1/openapi.json", { headers })).status).to.equal(200);
  });
});
