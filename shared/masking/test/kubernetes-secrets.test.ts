import { expect } from "chai";
import { base64, masked, SECRET, SECRET_YAML } from "./masking-fixture.ts";

const VALUES = ["hunter2-value", base64("hunter2-value"), base64("a certificate")];
const indented = (text: string, by: string) => text.trimEnd().replaceAll("\n", `\n${by}`);
const json = JSON.stringify(SECRET);
const pretty = JSON.stringify(SECRET, null, 2);

/** The Secret in every form that tools print. */
const FORMS: Readonly<Record<string, string>> = {
  "YAML documents": `${SECRET_YAML}---\n${SECRET_YAML}`,
  "a YAML sequence": `- ${indented(SECRET_YAML, "  ")}\n- apiVersion: v1\n  kind: Pod\n`,
  "a YAML list": `apiVersion: v1\nitems:\n- ${indented(SECRET_YAML, "  ")}\nkind: List\n`,
  "an indented YAML list": `apiVersion: v1\nitems:\n  - ${indented(SECRET_YAML, "    ")}\nkind: List\n`,
  "a fence in Markdown": `The Secret is:\n\n\`\`\`yaml\n${SECRET_YAML}\`\`\`\n\nIt is old.`,
  "a quoted kind": SECRET_YAML.replace("kind: Secret", 'kind: "Secret"'),
  "a kind in single quotes": SECRET_YAML.replace("kind: Secret", "kind: 'Secret'"),
  "cut-off YAML": SECRET_YAML.slice(0, SECRET_YAML.indexOf("kind")),
  "YAML with carriage returns": SECRET_YAML.replaceAll("\n", "\r\n"),
  "a flow mapping": `kind: Secret\ndata: {password: ${base64("hunter2-value")}, b: "${base64("a certificate")}"}\n`,
  "a diff": `diff -u a b\n@@ -1,3 +1,3 @@\n ${indented(SECRET_YAML, " ").replace("   password", "+  password")}\n`,
  "a JSON object": json,
  "indented JSON": pretty,
  "a JSON array": `[${json},${json}]`,
  "JSON in lines": `{"kind":"Pod"}\n${json}\n${json}\n`,
  "JSON in an object": JSON.stringify({ result: { items: [SECRET] } }),
  "a list": JSON.stringify({ kind: "List", items: [SECRET] }),
  "a SecretList without kinds": JSON.stringify({ kind: "SecretList", items: [{ data: SECRET.data }] }),
  "cut-off JSON": json.slice(0, json.indexOf("kind") - 3),
  "cut-off indented JSON": pretty.slice(0, pretty.indexOf('"kind"')),
  "JSON cut off in a value": json.slice(0, json.indexOf(base64("hunter2-value")) + 12),
  "JSON in a string": JSON.stringify({ text: json }),
  "JSON in a string in a string": JSON.stringify({ text: JSON.stringify({ text: json }) }),
  "YAML in a string": JSON.stringify({ content: [{ type: "text", text: SECRET_YAML }] }),
  "JSON with escaped quotes": `body=${JSON.stringify(json).slice(1, -1)} status=200`,
  "JSON in a sentence": `I looked at [the] Secret ${json}, it's fine.`,
  "a Python dict": `{'kind': 'Secret', 'data': {'password': '${base64("hunter2-value")}'}}`,
  "a map of Go": `map[apiVersion:v1 data:map[password:${base64("hunter2-value")}] kind:Secret]`,
};

describe("Kubernetes Secrets", () => {
  for (const [form, text] of Object.entries(FORMS)) {
    it(`are masked in ${form}; their keys stay`, () => {
      const { text: result } = masked(text);
      for (const value of VALUES) expect(result).not.to.include(value);
      expect(result).to.match(/\[MASKED_[A-Z_]+:[0-9a-f]{6}\]/u);
      for (const key of ["password", "Secret", "tls.crt", "name"]) {
        expect(result.includes(key), key).to.equal(text.includes(key));
      }
    });
  }

  it("leave JSON and its layout as they are", () => {
    for (const text of [json, pretty, JSON.stringify({ text: json })]) {
      const { text: result } = masked(text);
      expect(() => void JSON.parse(result)).not.to.throw();
      expect(result.split("\n").length).to.equal(text.split("\n").length);
    }
  });

  it("do not make ConfigMaps and other objects with data disappear", () => {
    const map = {
      apiVersion: "v1",
      data: { "app.properties": "color=blue\nsize=3\n", mode: "fast" },
      kind: "ConfigMap",
    };
    const yaml =
      "apiVersion: v1\ndata:\n  app.properties: |\n    color=blue\n  mode: fast\nkind: ConfigMap\n";
    for (const text of [JSON.stringify(map), JSON.stringify([map, { data: { a: "b" } }]), yaml]) {
      expect(masked(text).text).to.equal(text);
    }
  });

  it("mask what a kubeconfig has of secrets", () => {
    const yaml =
      "users:\n- name: a\n  user:\n    client-certificate-data: TFMw\n    client-key-data: TFMw\n    token: abc\n    client-key: /home/a/client.key\n";
    for (const text of [yaml, JSON.stringify({ user: { "client-key-data": "TFMw", token: "abc" } })]) {
      const result = masked(text).text;
      expect(result)
        .to.match(/client-key-data"?: ?"?\[MASKED_PRIVATE_KEY/u)
        .and.match(/token"?: ?"?\[MASKED_TOKEN/u);
      expect(result).not.to.match(/TFMw|abc/u);
    }
    expect(masked(yaml).text).to.include("client-key: /home/a/client.key");
  });
});

describe("placeholders", () => {
  const digits = (text: string) =>
    [...text.matchAll(/\[MASKED_[A-Z_]+:(?<digits>[0-9a-f]{6})\]/gu)].map(({ groups }) => groups?.["digits"]);

  it("are equal for equal values, also for a value and its base64, and differ between sessions", () => {
    const text = `${json}\nDB_PASSWORD=hunter2-value\nOTHER_PASSWORD=another-value\n`;
    const [inData = "", , inAnnotation, plain, other] = digits(masked(text).text);
    expect([inAnnotation, plain]).to.deep.equal([inData, inData]);
    expect(other).not.to.equal(inData);
    expect(digits(masked(text, { key: "another" }).text)).not.to.include(inData);
  });

  it("stay as they are when a text is masked again", () => {
    const once = masked(`${pretty}\npassword: "x y"\nAuthorization: Bearer abcdef0123456789\n`).text;
    expect(masked(once).text).to.equal(once);
  });

  it("stand wherever a value reappears that the session had masked, and nowhere else", () => {
    const { values } = masked(json);
    const later = masked('HOST=db\nX=hunter2-value\nargs: [hunter2-value, "hunter2-value"]\nhunter2-valued', {
      seen: values,
    }).text;
    expect(later).to.match(
      /^HOST=db\nX=\[MASKED_\w+:(\w{6})\]\nargs: \[\[MASKED_\w+:\1\], "\[MASKED_\w+:\1\]"\]\nhunter2-valued$/u,
    );
    expect(masked("X=hunter2-value").text).to.equal("X=hunter2-value");
  });
});
