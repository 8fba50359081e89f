import { expect } from "chai";
import { knownSecrets } from "#shared/masking/known-secrets.ts";
import { logLineMask } from "#shared/masking/mask-by-rules.ts";

describe("logLineMask", () => {
  const env = {
    DATABASE_URL: "postgres://tarsy:pass%40word-1@db:5432/tarsy",
    OPENAI_API_KEY: "an-openai-key",
    AUTH_TOKEN: "short",
    HOST_NAME: "not-a-secret",
    PWD: "/home/ann/tarsy",
    CLIENT_KEY: "/etc/tls/client.key",
  };

  it("masks the secrets of the environment, also decoded, and what is a secret by its form; lines stay JSON", () => {
    const mask = logLineMask(knownSecrets(env));
    const secrets = [
      "pass%40word-1",
      "pass@word-1",
      "an-openai-key",
      Buffer.from("an-openai-key").toString("base64"),
    ];
    const line = mask(JSON.stringify({ level: "info", secrets, url: "nats://tarsy:another-one@bus:4222" }));
    for (const secret of [...secrets, "another-one"]) expect(line).not.to.include(secret);
    expect(() => void JSON.parse(line)).not.to.throw();
  });

  it("knows the whole password of an address in which nothing is encoded", () => {
    const mask = logLineMask(knownSecrets({ DATABASE_URL: "postgres://app:p@ss/w#rd-22@db/app" }));
    expect(mask("refused p@ss/w#rd-22")).to.equal("refused [MASKED_CREDENTIAL]");
  });

  it("leaves everything else", () => {
    const mask = logLineMask(knownSecrets(env));
    const line = JSON.stringify({
      message: "session claimed",
      session_id: "550e8400-e29b-41d4-a716-446655440000",
      path: "/home/ann/tarsy",
      host: "not-a-secret",
      why: "short",
    });
    expect(mask(line)).to.equal(line);
  });
});
