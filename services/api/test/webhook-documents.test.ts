import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect } from "chai";
import { parse } from "yaml";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { ApiFixture } from "./api-fixture.ts";
import { TARSY } from "./webhook-bodies.ts";

const PAGE = join(import.meta.dirname, "../../../docs/alerts-and-notifications.md");
const SECRET = "the-secret-of-the-source-0123456789";

const List = Type.Array(Type.Object({}, { additionalProperties: true }));
const parseList = compileParser("sources", List);
const parsePasted = compileParser(
  "pasted configuration",
  Type.Object({ system: Type.Object({ webhooks: Type.Object({ sources: List }) }) }),
);

describe("what docs/alerts-and-notifications.md has to paste", () => {
  let page: string;
  let api: ApiFixture;

  const block = (kind: string, part: string) =>
    [...page.matchAll(/^( *)```(\w+)\n([\s\S]*?)\n\1```$/gmu)].find(
      ([, , language, text = ""]) => language === kind && text.includes(part),
    )?.[3] ?? "";
  const post = async (name: string, body: string, headers: Record<string, string>) =>
    api.raw("POST", `/api/v1/webhooks/${name}`, { body: Buffer.from(body), headers });

  before(async () => {
    page = await readFile(PAGE, "utf8");
    const { system } = parsePasted(parse(block("yaml", "preset: datadog")));
    const zabbix = { preset: "zabbix", verify: { secret_env: "ZABBIX_TOKEN" } };
    const all = [...system.webhooks.sources, ...parseList(parse(block("yaml", "name: acme"))), zabbix];
    const names = [...page.matchAll(/secret_env: (\w+)/gu)].map(([, name = ""]) => name);
    const env = Object.fromEntries([...names, "ZABBIX_TOKEN"].map((name) => [name, SECRET]));
    api = await ApiFixture.start({
      config: { tarsy: { ...TARSY, system: { webhooks: { sources: all } } } },
      env,
    });
  });
  after(() => api[Symbol.asyncDispose]());

  it("is a payload of Datadog that starts a session", async () => {
    const values = { $ALERT_TRANSITION: "Triggered", $AGGREG_KEY: "a1", $TAGS: "env:prod,service:shop" };
    let payload = block("json", "$AGGREG_KEY");
    for (const [name, value] of Object.entries(values)) payload = payload.replace(name, value);
    const answer = await post("datadog", payload, { "x-tarsy-token": SECRET });
    expect([answer.status, answer.text.includes('"queued"')], answer.text).to.deep.equal([202, true]);
  });

  it("is a script of Zabbix that starts a session", async () => {
    const sent: { url: string; body: string; headers: string[] }[] = [];
    class HttpRequest {
      readonly headers: string[] = [];
      addHeader(line: string): void {
        this.headers.push(line);
      }
      post(url: string, body: string): string {
        sent.push({ url, body, headers: this.headers });
        return "{}";
      }
      getStatus(): number {
        return 202;
      }
    }
    const value = JSON.stringify({
      url: "https://tarsy.example.com/api/v1/webhooks/zabbix",
      token: SECRET,
      event_id: "12",
      event_value: "1",
      tags: '[{"tag":"scope","value":"capacity"}]',
    });
    runInNewContext(`(function () {${block("js", "HttpRequest")}})()`, { value, HttpRequest });
    const [{ url, body, headers } = { url: "", body: "", headers: [] }] = sent;
    expect([url, body.includes(SECRET)]).to.deep.equal([
      "https://tarsy.example.com/api/v1/webhooks/zabbix",
      false,
    ]);
    const pairs = headers.map((line): [string, string] => [
      line.split(":", 1)[0] ?? "",
      line.replace(/^[^:]*: /u, ""),
    ]);
    const answer = await post("zabbix", body, Object.fromEntries(pairs));
    expect([answer.status, answer.text.includes('"queued"')], answer.text).to.deep.equal([202, true]);
  });
});
