import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect } from "chai";
import { Type } from "typebox";
import { parse } from "yaml";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const CHART = join(import.meta.dirname, "../chart");
const Values = Type.Record(Type.String(), Type.Unknown());
const parseValues = compileParser("values", Values);
const isValues = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The values over the defaults, as Helm merges them: objects by key, and null takes a key away. */
function overDefaults(
  defaults: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged = { ...defaults };
  for (const [key, value] of Object.entries(values)) {
    const before = defaults[key];
    if (value === null) delete merged[key];
    else merged[key] = isValues(value) && isValues(before) ? overDefaults(before, value) : value;
  }
  return merged;
}

describe("the values of the Helm chart", () => {
  let validate: (value: unknown) => boolean;
  let defaults: Record<string, unknown>;

  const read = async (file: string): Promise<Record<string, unknown>> =>
    parseValues(parse(await readFile(join(CHART, file), "utf8")));

  before(async () => {
    const ajv = new Ajv({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      formats: { hostname: true },
    });
    const schema = await read("values.schema.json");
    // Throws unless it is a valid schema.
    validate = ajv.compile(schema);
    defaults = await read("values.yaml");
  });

  it("match their schema in every profile", async () => {
    const files = (await readdir(CHART)).filter((name) => /^values.*\.yaml$/u.test(name));
    expect(files).to.include.members([
      "values.yaml",
      "values-kind.yaml",
      "values-team.yaml",
      "values-ha.yaml",
    ]);
    for (const file of files) {
      const values = overDefaults(defaults, await read(file));
      expect(validate(values), `${file}: ${JSON.stringify(Reflect.get(validate, "errors"))}`).to.equal(true);
    }
  });

  it("may have no key that the schema does not know, at any depth", () => {
    const addTo = (value: Record<string, unknown>, path: string): void => {
      for (const [key, inner] of Object.entries(value)) if (isValues(inner)) addTo(inner, `${path}.${key}`);
      // These take keys of the user's choice.
      if (/environment|files|annotations|labels|resources$/u.test(path)) return;
      value["mispelt"] = true;
      expect(validate(defaults), path).to.equal(false);
      delete value["mispelt"];
    };
    addTo(defaults, "");
    expect(validate(defaults)).to.equal(true);
  });

  it("belong to the version of package.json", async () => {
    const { version } = parseValues(JSON.parse(await readFile(join(CHART, "../../package.json"), "utf8")));
    const chart = await read("Chart.yaml");
    expect([chart["version"], chart["appVersion"]]).to.deep.equal([version, version]);
  });
});
