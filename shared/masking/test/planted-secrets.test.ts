import { expect } from "chai";
import { hasSecret, SECRET_STATEMENTS } from "../../../test/support/secret-statements.ts";
import { base64, masked } from "./masking-fixture.ts";

const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);

/** What tools wrap their output in. */
const CONTAINERS: Readonly<Record<string, (text: string) => string>> = {
  "plain text": (text) => `all is well\n${text}\nbye\n`,
  "a line of a log": (text) => `2026-11-22T10:00:00Z INFO worker-7 ${text} took=12ms`,
  "a block of YAML": (text) => `status:\n  message: |\n    ${indented(text, "    ")}\n  phase: Failed\n`,
  "a fence in Markdown": (text) => `Here:\n\n\`\`\`\n${text}\n\`\`\`\n`,
  JSON: (text) => JSON.stringify({ level: "info", msg: text, id: 7 }),
  "indented JSON": (text) => JSON.stringify({ items: [{ log: `before\n${text}\nafter` }] }, null, 2),
  "lines of JSON": (text) => `{"a":1}\n${JSON.stringify({ log: text })}\n{"b":2}\n`,
  "JSON in a string": (text) =>
    JSON.stringify({ content: [{ type: "text", text: JSON.stringify({ msg: text }) }] }),
  "cut-off JSON": (text) => JSON.stringify({ log: `${text} and more`, rest: 1 }).slice(0, -12),
  "an error": (text) => `MCP tool execution failed: exit status 1: ${text}`,
  "an echo of arguments": (text) => `[stub] Tool "a.b" called with args: ${JSON.stringify({ query: text })}`,
  base64: (text) => `payload: ${base64(`settings follow here\n${text}\nand end here\n`)}`,
  "the data of a Secret": (text) => `apiVersion: v1\ndata:\n  file: ${base64(text)}\nkind: Secret\n`,
};

describe("thirty planted secrets", () => {
  it("are thirty", () => {
    expect(SECRET_STATEMENTS).to.have.length(30);
    expect(Object.keys(CONTAINERS)).to.have.length.at.least(12);
  });

  for (const [container, wrap] of Object.entries(CONTAINERS)) {
    it(`are masked in ${container}`, () => {
      const leaked = SECRET_STATEMENTS.filter((secret) => hasSecret(masked(wrap(secret.text)).text, secret));
      expect(leaked.map(({ name, text }) => `${name}: ${masked(wrap(text)).text}`)).to.deep.equal([]);
    });
  }

  it("are masked all at once, and JSON stays JSON", () => {
    const all = SECRET_STATEMENTS.map(({ text }) => text).join("\n");
    const result = masked(JSON.stringify({ log: all, list: SECRET_STATEMENTS })).text;
    expect(
      SECRET_STATEMENTS.filter((secret) => hasSecret(result, secret)).map(({ name }) => name),
    ).to.deep.equal([]);
    expect(() => void JSON.parse(result)).not.to.throw();
  });

  it("are masked wherever they stand if the process itself knows them", () => {
    for (const { value } of SECRET_STATEMENTS.filter((secret) => secret.value.length >= 8)) {
      const forms = [
        value,
        encodeURIComponent(value),
        base64(value),
        base64(`ann:${value}`),
        base64(`x:${value}`),
      ];
      const result = masked(forms.map((form) => `a,${form},b`).join("\n"), { known: [value] }).text;
      expect(result).not.to.include(value);
      expect(result).not.to.include(base64(value).replace(/=+$/u, "").slice(0, -1));
      for (const line of result.split("\n")) expect(line).to.match(/\[MASKED_/u);
    }
  });
});
