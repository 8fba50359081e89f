import { expect } from "chai";
import { base64, masked } from "./masking-fixture.ts";
import { each, ENCODED, HEX, SHAPES, VALUE, YAML_LINES } from "./secret-shapes.ts";

describe("secrets of every shape are masked", () => {
  for (const [about, shapes] of Object.entries(SHAPES)) {
    describe(about, () => {
      for (const [name, text] of Object.entries(shapes)) {
        it(name, () => {
          const { text: result } = masked(text);
          for (const value of [VALUE, VALUE.toUpperCase(), ENCODED, HEX]) {
            expect(result).not.to.include(value);
          }
          expect(result).to.include("[MASKED_");
          if (isJson(text)) expect(isJson(result), result).to.equal(true);
        });
      }
    });
  }
});

/** What resembles a secret in its shape, and is none. */
const HARMLESS: readonly string[] = [
  `{"kind":"ConfigMap","type":"x","data":{"mode":"fast"}}`,
  `data:\n  mode: fast\nkind: ConfigMap\n`,
  `  mode: fast\nkind: ConfigMap\nmetadata:\n  name: x\n`,
  `> kind: ConfigMap\n> data:\n>   mode: fast`,
  `{"status":"success","data":{"resultType":"vector","result":[{"pod":"Deployment1"`,
  `map[data:map[mode:fast] kind:ConfigMap]`,
  `PASSWORD=\${DB_PASSWORD}`,
  `password: $(DB_PASSWORD)`,
  `password: $DB_PASSWORD`,
  `password: {{ .Values.password }}`,
  `password: <none>`,
  `password = (sensitive value)`,
  `PASSWORD=%DB_PASSWORD%`,
  `DB_PASSWORD=/run/secrets/db`,
  `client_key: /etc/tls/client.key`,
  `{"password":{"type":"string","minLength":8}}`,
  `| name | tokens |\n|---|---|\n| gpt | 4096 |`,
  `user,role\nadmin,owner\n`,
  ` user  | role\n-------+------\n admin | owner\n`,
  `Mountable secrets:   web-token-abcde\nTokens:              web-token-abcde\n`,
  `secrets:\n- name: web-token-abcde\n`,
  `http://10.0.0.1:8080/metrics?user=a@b`,
  `bypass=on compass=north`,
  `COST=$5 and $6`,
];

describe("what only resembles a secret", () => {
  for (const text of HARMLESS) {
    it(`stays: ${text.split("\n")[0] ?? ""}`, () => {
      expect(masked(text).text).to.equal(text);
    });
  }

  it("stays beside one: the names, the other values and the lines", () => {
    const text = `{"level":"info","password":"${VALUE}","user":"admin"}\nGET /x?token=${VALUE}&limit=5 200\nServer=db;Password=${VALUE};Encrypt=true\n`;
    const { text: result } = masked(text);
    expect(result.replaceAll(/\[MASKED_[A-Z]+:[0-9a-f]{6}\]/gu, VALUE)).to.equal(text);
  });

  it("keeps the prefixes of the lines of a Secret", () => {
    const { text: result } = masked(each(YAML_LINES, (index) => `${index + 1}:`));
    expect(result.split("\n").map((line) => line.slice(0, 7))).to.deep.equal([
      "1:apiVe",
      "2:kind:",
      "3:data:",
      "4:  foo",
      "5:  bar",
    ]);
  });
});

describe("a value that was masked before is masked again", () => {
  const { values: seen } = masked(`DB_PASSWORD=${VALUE}`);
  const around: readonly ((value: string) => string)[] = [
    (value) => `foo/${value}/bar`,
    (value) => `-p${value}`,
    (value) => `user/${value}@tns`,
    (value) => `**${value}**`,
    (value) => `_${value}_`,
    (value) => `C=${value}!`,
    (value) => `$${value}`,
    (value) => `~${value}`,
    (value) => `"${value}-suffix"`,
    (value) => `${value}…`,
    (value) => `\u001B[31m${value}\u001B[0m`,
    (value) => `%7B${value}%7D`,
    (value) => `a\\n${value}\\n`,
    (value) => `[MASKED_PASSWORD:123456]/${value}`,
  ];
  for (const wrap of around) {
    it(`in ${JSON.stringify(wrap("VALUE"))}`, () => {
      const { text } = masked(wrap(VALUE), { seen });
      expect(text).to.match(/\[MASKED_PASSWORD:[0-9a-f]{6}\]/u);
      expect(text).not.to.include(VALUE);
    });
  }

  it("without the line feed at its end", () => {
    const stored = masked(`kind: Secret\ndata:\n  foo: ${base64(`${VALUE}\n`)}\n`).values;
    expect(masked(`foo: ${VALUE}`, { seen: stored }).text).not.to.include(VALUE);
  });

  it("but not within a longer word", () => {
    for (const text of [`x${VALUE}`, `${VALUE}y`]) expect(masked(text, { seen }).text).to.equal(text);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
