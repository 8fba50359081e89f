import { expect } from "chai";
import { NIGHTLY } from "../../../test/support/nightly.ts";
import { Masker } from "#shared/masking/masker.ts";
import { rulesOfServer } from "#shared/masking/masking-rules.ts";
import { TerminalError } from "#shared/errors.ts";

const custom = (pattern: string, replacement = "[NUMBER]") =>
  rulesOfServer({ custom_patterns: [{ pattern, replacement }] });
/** A result of a tool has up to 16 MiB by default. */
const LARGE = (NIGHTLY ? 16 : 4) * 1024 * 1024;

describe("Masker", () => {
  const resources = new AsyncDisposableStack();
  const masker = resources.use(new Masker({ known: ["the-runners-own-secret"] }));
  after(() => resources.disposeAsync());

  it("masks the same in its thread as at once", async () => {
    const text = `password=hunter2-value and the-runners-own-secret, ann@example.com\n`.repeat(3);
    await using threaded = new Masker({ known: ["the-runners-own-secret"], maxInline: 0 });
    const request = { rules: rulesOfServer(), key: "k" };
    const [here, there] = await Promise.all([masker.mask(text, request), threaded.mask(text, request)]);
    expect(there).to.deep.equal(here);
    expect(here.text).not.to.match(/hunter2|own-secret|ann@/u);
    expect(here.counts).to.include({ PASSWORD: 3, CREDENTIAL: 3, EMAIL: 3 });
  });

  it("replaces what the patterns of the configuration match, with their flags and groups", async () => {
    const rules = custom(String.raw`(?i)(customer)\s*=\s*\d{4,}`, "$1=[NUMBER]");
    const { text } = await masker.mask("Customer = 12345, customer=7", { rules, key: "k" });
    expect(text).to.equal("Customer=[NUMBER], customer=7");
  });

  it("finds what a pattern matches on both sides of a border between pieces", async () => {
    const lines = "a line of a log that goes on and on\n".repeat(6_000);
    const { text } = await masker.mask(`${lines}number 4711\n${lines}number 4712`, {
      rules: custom("number \\d+"),
      key: "k",
    });
    expect(text).to.equal(`${lines}[NUMBER]\n${lines}[NUMBER]`);
  });

  it("masks a large text, whatever is in it, and a secret at its end", async () => {
    await using patient = new Masker();
    const log = 'a.b.c.d@e {"a": [1, "two"]} key=value\n'.repeat(1 + LARGE / 40).slice(0, LARGE);
    const { text } = await patient.mask(`${log}\npassword=hunter2-value`, {
      rules: rulesOfServer(),
      key: "k",
    });
    expect(text.endsWith("\npassword=[MASKED_PASSWORD:"), text.slice(-60)).to.equal(false);
    expect(text.slice(-60)).to.match(/password=\[MASKED_PASSWORD:[0-9a-f]{6}\]$/u);
  });

  it("fails a text whose thread does not get on, says nothing about the text, and masks the next one", async () => {
    await using impatient = new Masker({ stallMs: 1, maxInline: 0 });
    const error: unknown = await impatient.mask("password=hunter2-value", { rules: rulesOfServer() }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(TerminalError).with.property("code", "masking_failed");
    expect(String(error)).not.to.include("hunter2");
    await using patient = new Masker({ maxInline: 0 });
    const { text } = await patient.mask("password=hunter2-value", { rules: rulesOfServer() });
    expect(text).to.equal("password=[MASKED_PASSWORD]");
  });

  it("masks only the secrets of the process where masking is off", async () => {
    const rules = rulesOfServer({ enabled: false });
    await using threaded = new Masker({ known: ["the-runners-own-secret"], maxInline: 0 });
    for (const one of [masker, threaded]) {
      const { text, counts } = await one.mask("password=hunter2-value, the-runners-own-secret", { rules });
      expect(text).to.equal("password=hunter2-value, [MASKED_CREDENTIAL]");
      expect(counts).to.deep.equal({ CREDENTIAL: 1 });
    }
  });

  it("masks secrets from when it learns them, the latest of a limited number", async () => {
    const rules = rulesOfServer({ enabled: false });
    await using threaded = new Masker({ known: ["the-runners-own-secret"], maxInline: 0 });
    for (const one of [new Masker({ known: ["the-runners-own-secret"] }), threaded]) {
      const text = "learned secret 0, learned secret 99, the-runners-own-secret";
      expect((await one.mask("learned secret 0", { rules })).text).to.equal("learned secret 0");
      one.learn("learned secret 0");
      expect((await one.mask("learned secret 0", { rules })).text).to.equal("[MASKED_CREDENTIAL]");
      for (let i = 1; i < 100; i += 1) one.learn(`learned secret ${i}`);
      expect((await one.mask(text, { rules })).text).to.equal(
        "learned secret 0, [MASKED_CREDENTIAL], [MASKED_CREDENTIAL]",
      );
    }
  });
});
