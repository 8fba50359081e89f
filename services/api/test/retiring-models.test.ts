import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { systemWarnings } from "../system/system-warnings.ts";
import { ApiFixture } from "./api-fixture.ts";

const parseWarnings = compileParser(
  "warnings",
  Type.Object({ warnings: Type.Array(Type.Record(Type.String(), Type.String())) }),
);
const google = (model: string) => ({ type: "google", model, api_key_env: "GOOGLE_API_KEY" });

describe("the api's warnings of models that retire", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(
      await ApiFixture.start({
        env: { GOOGLE_API_KEY: "x" },
        config: {
          tarsy: {
            defaults: { llm_provider: "new", alert_type: "test", fallback_providers: [{ provider: "old" }] },
          },
          providers: {
            llm_providers: {
              new: google("gemini-3.7-flash"),
              old: google("gemini-2.0-flash"),
              unused: google("gemini-2.5-pro"),
            },
          },
        },
      }),
    );
  });
  after(() => resources.disposeAsync());

  it("name the provider, its model, the day and the model to write instead", async () => {
    const { body } = await api.client.request("GET", "/api/v1/system/warnings");
    const found = parseWarnings(body).warnings.filter(({ id }) => id?.endsWith(":retirement"));
    expect(found).to.deep.equal([
      {
        id: "llm:old:retirement",
        category: "llm",
        message: "model gemini-2.0-flash of LLM provider old was retired on 2026-06-01",
        details:
          "Change the entry old in llm-providers.yaml to gemini-3.5-flash-lite, then restart the services.",
        created_at: "2026-04-02T00:00:00.000Z",
      },
    ]);
  });

  it("begin 60 days before, without a restart, and keep their id", () => {
    const { agents, stubbedServers } = api.deps.config;
    const at = (time: string) =>
      systemWarnings({ agents, stubbedServers, states: [], startedAt: "", now: new Date(time) })
        .filter(({ id }) => id.endsWith(":retirement"))
        .map(({ id, message }) => `${id}: ${message}`);
    const message = "llm:old:retirement: model gemini-2.0-flash of LLM provider old";
    expect(at("2026-04-01T23:59:59Z")).to.deep.equal([]);
    expect(at("2026-04-02T00:00:00Z")).to.deep.equal([`${message} retires on 2026-06-01 (in 60 days)`]);
    expect(at("2026-05-31T12:00:00Z")).to.deep.equal([`${message} retires on 2026-06-01 (in 1 day)`]);
  });
});
