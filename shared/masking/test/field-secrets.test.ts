import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { base64, masked } from "./masking-fixture.ts";
import { FILES } from "./field-files.ts";
import { REQUESTS } from "./field-requests.ts";
import { CLUSTERS, MACHINES, TWICE } from "./field-secrets.ts";
import { ENCODED, HEX, VALUE } from "./secret-shapes.ts";

const FORMS = [VALUE, ENCODED, TWICE, HEX, base64(`ann:${VALUE}`)];
const indented = (text: string) => text.replaceAll("\n", "\n    ");

/** What stands around the output of a tool. */
const AROUND: Readonly<Record<string, (text: string) => string>> = {
  nothing: (text) => text,
  "other lines": (text) => `all is well\n${text}\nbye\n`,
  "a block of YAML": (text) => `status:\n  message: |\n    ${indented(text)}\n  phase: Failed\n`,
  "a fence": (text) => `Here:\n\n\`\`\`\n${text}\n\`\`\`\n`,
  JSON: (text) => JSON.stringify({ level: "info", log: text, id: 7 }),
  "JSON in a string": (text) =>
    JSON.stringify({ content: [{ type: "text", text: JSON.stringify({ msg: text }) }] }),
};

const SHAPES = { clusters: CLUSTERS, machines: MACHINES, files: FILES, requests: REQUESTS };

describe("secrets as tools in the field print them", () => {
  for (const [about, shapes] of Object.entries(SHAPES)) {
    for (const [around, wrap] of Object.entries(AROUND)) {
      it(`are masked: ${about}, with ${around} around`, () => {
        const leaks = Object.entries(shapes).flatMap(([name, text]) => {
          const { text: result } = masked(wrap(text));
          const isShown = FORMS.some((form) => result.includes(form)) || decodesTo(result, VALUE);
          return isShown || !result.includes("[MASKED_") ? [`${name}: ${result}`] : [];
        });
        expect(leaks).to.deep.equal([]);
      });
    }
  }

  it("are found again where they were encoded twice", () => {
    const { values: seen } = masked(`DB_PASSWORD=${VALUE}`);
    expect(masked(`a: ${TWICE}`, { seen }).text).to.match(/^a: \[MASKED_PASSWORD:[0-9a-f]{6}\]$/u);
  });

  it("leave the fields beside them as they are", () => {
    const text = JSON.stringify({
      jwk: { kty: "EC", crv: "P-256", x: "f83OJ3D2", d: VALUE },
      credentials: { username: "app", host: "db.example.com", pin: VALUE, mode: 420 },
    });
    const shown = masked(text).text.replaceAll(/\[MASKED_[A-Z]+:[0-9a-f]{6}\]/gu, VALUE);
    expect(shown).to.equal(text);
  });
});

describe("what tools in the field print beside secrets", () => {
  const texts = readFileSync(join(import.meta.dirname, "field-harmless.txt"), "utf8")
    .trimEnd()
    .split("\n\n");

  it("stays as it is, also in JSON", () => {
    expect(texts).to.have.length.at.least(100);
    for (const text of texts) {
      expect(masked(text).text).to.equal(text);
      const json = JSON.stringify({ log: text });
      expect(masked(json).text).to.equal(json);
    }
  });
});

/** True if base64 in the text, decoded up to three times, has the value. */
function decodesTo(text: string, value: string): boolean {
  const runs = text.match(/[A-Za-z0-9+/]{12,}={0,2}/gu) ?? [];
  return runs.some((run) => {
    let decoded = run;
    for (let round = 0; round < 3 && !decoded.includes(value); round += 1) {
      decoded = Buffer.from(decoded, "base64").toString("utf8");
    }
    return decoded.includes(value);
  });
}
