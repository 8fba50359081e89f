import { expect } from "chai";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { ApiFixture } from "./api-fixture.ts";

const MEBIBYTE = 1_048_576;
const JSON_TYPE = { "content-type": "application/json" };
const REQUIRED = { message: "data field is required" };

describe("the body of POST /api/v1/alerts", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({
      config: {
        tarsy: {
          mcp_servers: { "my-server": { transport: { type: "stdio", command: "my-server" } } },
        },
      },
    });
  });
  after(() => api[Symbol.asyncDispose]());

  const countSessions = async (): Promise<unknown> =>
    api.servers.query("SELECT count(*)::int AS n FROM alert_sessions", []);

  it("counts a zero-length body as an empty object, whatever its type", async () => {
    for (const headers of [JSON_TYPE, { "content-type": "text/plain" }]) {
      const { status, text } = await api.raw("POST", "/api/v1/alerts", { body: Buffer.alloc(0), headers });
      expect([status, JSON.parse(text)]).to.deep.equal([400, REQUIRED]);
    }
  });

  it("refuses another content type with 400, never 415", async () => {
    const answers: unknown[] = [];
    for (const type of ["text/plain", "application/xml; charset=utf-8", ""]) {
      const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
      const body = Buffer.from('{"data":"x"}');
      const { status, text } = await api.raw("POST", "/api/v1/alerts", { body, headers });
      answers.push([status, JSON.parse(text)]);
    }
    const expected = (given: string) => [
      400,
      { message: `request body must be JSON: content type is ${given}, not 'application/json'` },
    ];
    expect(answers).to.deep.equal([
      expected("'text/plain'"),
      expected("'application/xml'"),
      expected("missing"),
    ]);
  });

  it("takes a compressed body within the limits, and refuses other encodings with 415", async () => {
    const send = async (encoding: string, body: Uint8Array<ArrayBuffer> = Buffer.from('{"data":"x"}')) =>
      api.raw("POST", "/api/v1/alerts", { body, headers: { ...JSON_TYPE, "content-encoding": encoding } });
    const forms = { GZIP: gzipSync, "x-gzip": gzipSync, deflate: deflateSync, br: brotliCompressSync };
    for (const [encoding, compress] of Object.entries(forms)) {
      expect(await send(encoding, compress('{"data":"x"}')), encoding).to.include({ status: 202 });
      expect(await send(encoding, compress("x".repeat(9 * MEBIBYTE))), encoding).to.include({ status: 413 });
      expect(await send(encoding, compress('{"data":"xyzxyz"}').subarray(0, -5)), encoding).to.include({
        status: 400,
      });
    }
    expect(await send("gzip")).to.include({ status: 400 });
    for (const encoding of ["zstd", "compress", "gzip, deflate", "x".repeat(1_000)]) {
      const { status, text } = await send(encoding);
      expect(status).to.equal(415);
      expect(JSON.parse(text))
        .to.have.property("message")
        .that.matches(/^content encoding '.{1,101}' is not/u);
    }
    expect(await send("identity")).to.include({ status: 202 });
  });

  it("accepts the content type in any letter case and with parameters", async () => {
    const headers = { "content-type": "Application/JSON; charset=UTF-8" };
    const body = Buffer.from('{"data":"x"}');
    expect(await api.raw("POST", "/api/v1/alerts", { body, headers })).to.include({ status: 202 });
  });

  it("names what is wrong with a body that cannot be decoded, and stores nothing", async () => {
    const before = await countSessions();
    const refused: Record<string, string> = {
      "{": "request body is not valid JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2)",
      "[]": "request body must be object, got array",
      '"text"': "request body must be object, got string",
      null: "request body must be object, got null",
      "7": "request body must be object, got number",
      '{"data":7}': "field 'data' must be string, got number",
      '{"data":{"a":1}}': "field 'data' must be string, got object",
      '{"data":"x","alert_type":[]}': "field 'alert_type' must be string, got array",
      '{"data":"x","runbook":true}': "field 'runbook' must be string, got boolean",
      '{"data":"x","mcp":"all"}': "field 'mcp' must be object, got string",
      '{"data":"x","mcp":{}}': "field 'mcp' must have required property 'servers', got object",
      '{"data":"x","mcp":{"servers":{}}}': "field 'mcp.servers' must be array, got object",
      '{"data":"x","mcp":{"servers":["a"]}}': "field 'mcp.servers[0]' must be object, got string",
      '{"data":"x","mcp":{"servers":[{}]}}':
        "field 'mcp.servers[0]' must have required property 'name', got object",
      '{"data":"x","mcp":{"servers":[{"name":null}]}}':
        "field 'mcp.servers[0].name' must be string, got null",
      '{"data":"x","mcp":{"servers":[{"name":"my-server","tools":"all"}]}}':
        "field 'mcp.servers[0].tools' must be array, got string",
      '{"data":"x","mcp":{"servers":[{"name":"my-server","tools":[1]}]}}':
        "field 'mcp.servers[0].tools[0]' must be string, got number",
      '{"data":"x","mcp":{"servers":[{"name":"a"},{"name":"a","tools":["t"]}]}}':
        "field 'mcp.servers[1].name' must name another server than those before, got 'a'",
      '{"data":"x","mcp":{"servers":[],"native_tools":[]}}':
        "field 'mcp.native_tools' must be object, got array",
      '{"data":"x","mcp":{"servers":[],"native_tools":{"url_context":"yes"}}}':
        "field 'mcp.native_tools.url_context' must be boolean, got string",
    };
    const answers: Record<string, unknown> = {};
    for (const body of Object.keys(refused)) answers[body] = await api.post(body);
    expect(answers).to.deep.equal(
      Object.fromEntries(
        Object.entries(refused).map(([body, message]) => [body, { status: 400, body: { message } }]),
      ),
    );
    expect(await countSessions()).to.deep.equal(before);
  });

  it("treats null as absent", async () => {
    expect(await api.post('{"data":null}')).to.deep.equal({ status: 400, body: REQUIRED });
    const nulls = '{"data":"x","alert_type":null,"runbook":null,"mcp":null}';
    expect(await api.post(nulls)).to.include({ status: 202 });
    const inside =
      '{"data":"x","mcp":{"servers":[{"name":"my-server","tools":null}],"native_tools":{"google_search":null}}}';
    expect(await api.post(inside)).to.include({ status: 202 });
  });

  it("accepts a mebibyte of control characters, which takes six in JSON", async () => {
    const body = `{"data":"${String.raw`\u0001`.repeat(MEBIBYTE)}"}`;
    const { status } = await api.post(body);
    expect(status).to.equal(202);
  });

  it("refuses a body over 8 MiB, with or without a content length", async () => {
    const huge = Buffer.alloc(8 * MEBIBYTE + 1, " ");
    const answer = [413, { message: "Request Entity Too Large" }];
    // The answer comes before the body is sent: no other request may follow on these connections.
    const headers = { ...JSON_TYPE, connection: "close" };
    const declared = await api.raw("POST", "/api/v1/alerts", { body: huge, headers });
    expect([declared.status, JSON.parse(declared.text)]).to.deep.equal(answer);
    const body = new Blob([huge]).stream();
    const chunked = await api.raw("POST", "/api/v1/alerts", { body, headers });
    expect([chunked.status, JSON.parse(chunked.text)]).to.deep.equal(answer);
  });

  it("ignores unknown fields such as `__proto__`, and takes the last of a repeated field", async () => {
    const id = await api.accepted(
      '{"data":"first","__proto__":{"data":"polluted"},"constructor":1,"severity":9,"data":"last"}',
    );
    expect(await api.sessionRow("alert_data", id)).to.deep.equal({ alert_data: "last" });
    expect(Object.prototype).to.not.have.property("data");
    expect(await api.post('{"__proto__":{"data":"x"}}')).to.deep.equal({ status: 400, body: REQUIRED });
  });

  it("stores no unknown field of the MCP selection", async () => {
    const id = await api.accepted('{"data":"x","mcp":{"more":1,"servers":[{"name":"my-server","why":2}]}}');
    expect(await api.sessionRow("mcp_selection", id)).to.deep.equal({
      mcp_selection: { servers: [{ name: "my-server" }] },
    });
  });

  it("may have a hundred levels and no more, which the answer names", async () => {
    const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    await api.accepted(`{"data":"x","unknown":${deep(99)}}`);
    await api.accepted(JSON.stringify({ data: deep(200_000) }));
    for (const body of [
      `{"data":"x","unknown":${deep(100)}}`,
      `{"data":"x","mcp":{"servers":[],"unknown":${deep(200_000)}}}`,
      `{"data":${deep(200_000)}}`,
      '{"a":'.repeat(200_000),
    ]) {
      expect(await api.post(body)).to.deep.equal({
        status: 400,
        body: {
          message:
            "request body is nested too deeply: JSON may be nested 100 levels deep here, and this is deeper",
        },
      });
    }
  });

  it("may have members that are unknown, which the answer names with what may have been meant", async () => {
    const warnings = async (body: object) => {
      const { status, text } = await api.raw("POST", "/api/v1/alerts", {
        body: Buffer.from(JSON.stringify(body)),
        headers: { "content-type": "application/json" },
      });
      expect(status, text).to.equal(202);
      const answer: unknown = JSON.parse(text);
      return typeof answer === "object" && answer !== null && "warnings" in answer
        ? answer.warnings
        : undefined;
    };
    expect(await warnings({ data: "x", priority: null })).to.equal(undefined);
    expect(await warnings({ data: "x", prioritty: "high", Runbook: "y" })).to.deep.equal([
      "unknown member 'prioritty' is ignored: did you mean 'priority'?",
      "unknown member 'Runbook' is ignored: did you mean 'runbook'?",
    ]);
    const mcp = { servers: [{ name: "my-server", tolls: ["a"] }], native_tools: { google: true } };
    expect(await warnings({ data: "x", mcp })).to.deep.equal([
      "unknown member 'tolls' of 'mcp.servers[0]' is ignored: did you mean 'tools'?",
      "unknown member 'google' of 'mcp.native_tools' is ignored: did you mean 'google_search'?",
    ]);
    expect(await warnings({ data: "x", labels: {} })).to.deep.equal([
      "unknown member 'labels' is ignored: known are data, alert_type, runbook, mcp, slack_message_fingerprint, priority",
    ]);
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`member${at}`, at]));
    expect(await warnings({ data: "x", ...many })).to.have.length(20);
    expect(JSON.stringify(await warnings({ data: "x", "password=hunter2": 1 }))).not.to.include("hunter2");
    expect(JSON.stringify(await warnings({ data: "x", ["y".repeat(5_000)]: 1 })).length).to.be.below(400);
  });
});
