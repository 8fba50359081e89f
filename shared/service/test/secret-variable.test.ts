import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { loadLlmProviders } from "#shared/agent-config/load-llm-providers.ts";
import { acceptedGatewayTokens } from "#shared/service/gateway-token.ts";
import { secretVariable } from "#shared/service/environment.ts";
import { databaseUrl, natsUrl } from "#shared/service/service-config.ts";

describe("a secret in a file", () => {
  it("is the file's text without the line break at its end", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tarsy-secret-"));
    const file = join(directory.path, "secret");
    for (const [text, value] of [
      ["plain", "plain"],
      ["line\n", "line"],
      ["line\r\n", "line"],
      ["two\n\n", "two\n"],
      [" spaces \n", " spaces "],
      ["", ""],
    ] as const) {
      await writeFile(file, text);
      expect(secretVariable({ KEY_FILE: file }, "KEY"), JSON.stringify(text)).to.equal(value);
    }
    expect(secretVariable({ KEY: "value", KEY_FILE: "" }, "KEY")).to.equal("value");
    expect(secretVariable({}, "KEY")).to.equal("");
  });

  it("may be that of every setting with a secret, and of what a configuration names", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tarsy-secret-"));
    const put = async (name: string, text: string) => {
      await writeFile(join(directory.path, name), `${text}\n`);
      return join(directory.path, name);
    };
    expect(databaseUrl({ DATABASE_URL_FILE: await put("db", "postgres://me:pw@host/db") })).to.equal(
      "postgres://me:pw@host/db",
    );
    expect(natsUrl({ NATS_URL_FILE: await put("nats", "nats://me:pw@host:4222") })).to.equal(
      "nats://me:pw@host:4222",
    );
    const [token, previous] = ["new-token-0123456789", "old-token-0123456789"];
    expect(
      acceptedGatewayTokens({
        LLM_GATEWAY_TOKEN_FILE: await put("token", token),
        LLM_GATEWAY_PREVIOUS_TOKEN_FILE: await put("previous", previous),
      }),
    ).to.deep.equal([token, previous]);
    const yaml =
      "llm_providers:\n  a: { type: openai, model: m, max_tool_result_tokens: 8000, base_url: 'http://h/{{.PART}}' }\n";
    await put("llm-providers.yaml", yaml);
    const env = { PART_FILE: await put("part", "v7") };
    const { providers } = await loadLlmProviders({ configDir: directory.path, env });
    expect(providers.get("a")).to.have.property("base_url", "http://h/v7");
  });

  it("is refused beside the variable, and if it cannot be read, by name and never by value", () => {
    expect(() => secretVariable({ KEY: "hunter2", KEY_FILE: "/x" }, "KEY"))
      .to.throw("KEY and KEY_FILE are both set")
      .with.property("code", "invalid_environment");
    expect(() => secretVariable({ KEY: "hunter2", KEY_FILE: "/x" }, "KEY")).to.not.throw("hunter2");
    expect(() => secretVariable({ KEY_FILE: "/no/such/file" }, "KEY")).to.throw(
      "the file /no/such/file that environment variable KEY_FILE names cannot be read (ENOENT)",
    );
    for (const token of ["short", "with spaces 0123456789", "ümlaut-0123456789012", "x".repeat(513)]) {
      const attempt = () => acceptedGatewayTokens({ LLM_GATEWAY_TOKEN: token });
      expect(attempt, token).to.throw("LLM_GATEWAY_TOKEN is not a token");
      expect(attempt, token).to.not.throw(token);
    }
    expect(() => acceptedGatewayTokens({})).to.throw("LLM_GATEWAY_TOKEN is not set");
  });
});
