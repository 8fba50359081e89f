import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { routesOf } from "../app.ts";
import { CONTRACTS } from "../contracts/contracts.ts";
import { ApiFixture } from "./api-fixture.ts";

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

  it("has every route and no other, each with its responses", () => {
    const routes = routesOf(api.deps).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(Object.keys(CONTRACTS).toSorted()).to.deep.equal(routes.toSorted());
    const ids = Object.values(CONTRACTS).map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
  });
});
