import { randomUUID } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { repetitions, testSeed } from "../../../test/support/nightly.ts";
import { seededRandom } from "../../../test/support/seeded-random.ts";
import { ADMIN_ACCESS, ApiFixture } from "./api-fixture.ts";
import { RandomJson, asJson, type Json } from "./random-json.ts";

const SEED = testSeed();
const ROUNDS = repetitions({ daily: 12, nightly: 400 });
/** What a request that its schema refuses may be answered with. */
const REFUSED = new Set([400, 401, 403, 404, 409, 410, 413, 415, 421, 422, 429]);

interface FuzzedRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  /** The names of what the document does not allow. */
  readonly violations: readonly string[];
}

describe(`random requests by the OpenAPI document (SEED=${SEED} ROUNDS=${ROUNDS})`, () => {
  let api: ApiFixture;
  let document: Json;
  let random: RandomJson;
  const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });

  before(async () => {
    api = await ApiFixture.start({ env: ADMIN_ACCESS });
    const text: unknown = JSON.parse((await api.raw("GET", "/api/v1/openapi.json")).text);
    document = asJson(text);
    random = new RandomJson(seededRandom(SEED), asJson(asJson(document["components"])["schemas"]));
    ajv.addSchema({ ...document, $id: "openapi:" });
  });
  after(() => api[Symbol.asyncDispose]());

  const isValid = (schema: unknown, value: unknown) =>
    ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi:#/')), value);

  /** A parameter as text, valid three times out of four. */
  const parameter = ({ name, schema }: Json, session: string): readonly [string, boolean] => {
    const isSession = name === "id" && random.chance(0.8);
    const value = isSession ? session : random.valid(schema);
    const text = Array.isArray(value) ? value.join(",") : String(value);
    if (random.chance(0.75)) return [encodeURIComponent(text.toWellFormed()), true];
    const hostile = random.hostileText().toWellFormed();
    const { type } = random.resolve(schema);
    const asType: unknown = type === "integer" && /^-?\d{1,10}$/u.test(hostile) ? Number(hostile) : hostile;
    return [encodeURIComponent(hostile), isValid(schema, asType)];
  };

  const requestOf = (path: string, operation: Json, session: string): FuzzedRequest => {
    const violations: string[] = [];
    const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"].map(asJson) : [];
    let url = path;
    const query: string[] = [];
    for (const one of parameters) {
      const name = String(one["name"]);
      if (one["in"] === "header" || (one["required"] !== true && random.chance(0.5))) continue;
      const [text, isAllowed] = parameter(one, session);
      if (!isAllowed) violations.push(name);
      if (one["in"] === "path") url = url.replace(`{${name}}`, text);
      else query.push(`${name}=${text}`);
    }
    const content = asJson(asJson(operation["requestBody"])["content"]);
    const { schema } = asJson(content["application/json"]);
    let body: string | undefined;
    if (schema !== undefined) {
      const valid = random.valid(schema);
      const value = random.chance(0.5) ? random.mutated(valid) : valid;
      const isWhole = random.chance(0.95);
      body = isWhole ? JSON.stringify(value) : random.pick(["{", '"', "[]", "nul", "\uFEFF{}"]);
      // A byte order mark is none of the text.
      const sent = isWhole ? value : body === "\uFEFF{}" ? {} : undefined;
      if (!body.startsWith("{", body.startsWith("\uFEFF") ? 1 : 0) || !isValid(schema, sent)) {
        violations.push("body");
      }
    }
    return {
      url: `${url}${query.length === 0 ? "" : `?${query.join("&")}`}`,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body,
      violations,
    };
  };

  it("are never answered with 5xx, and with 4xx where the document does not allow them", async () => {
    const wrong: string[] = [];
    for (const [path, operations] of Object.entries(asJson(document["paths"]))) {
      for (const [method, operation] of Object.entries(asJson(operations))) {
        const session = await api.client.submit(`for ${method} ${path}`);
        for (let round = 0; round < ROUNDS; round++) {
          const { url, headers, body, violations } = requestOf(path, asJson(operation), session);
          const bytes = body === undefined ? {} : { body: Buffer.from(body) };
          const { status, text } = await api.raw(method.toUpperCase(), url, { headers, ...bytes });
          const isRight = violations.length === 0 ? status < 500 : REFUSED.has(status);
          if (isRight) continue;
          const why = violations.length === 0 ? "" : `, although ${violations.join(", ")} is not allowed`;
          wrong.push(
            `${method} ${url.slice(0, 200)} ${(body ?? "").slice(0, 200)}: ${status}${why} ${text.slice(0, 200)}`,
          );
        }
      }
    }
    expect(wrong.slice(0, 10)).to.deep.equal([]);
    expect(api.contract.problems.slice(0, 5)).to.deep.equal([]);
  });

  it("are refused with 400 where a parameter is given twice", async () => {
    const session = await api.client.submit("x");
    for (const [path, operations] of Object.entries(asJson(document["paths"]))) {
      const { parameters } = asJson(asJson(operations)["get"]);
      const queries = Array.isArray(parameters)
        ? parameters.map(asJson).filter((one) => one["in"] === "query")
        : [];
      for (const { name, schema } of queries) {
        const value = encodeURIComponent(String(random.valid(schema)).toWellFormed());
        const url = path.replace("{id}", session).replaceAll(/\{\w+\}/gu, randomUUID());
        const twice = `${url}?${String(name)}=${value}&${String(name)}=${value}`;
        const { status } = await api.raw("GET", twice);
        expect(status, twice).to.equal(400);
      }
    }
  });
});
