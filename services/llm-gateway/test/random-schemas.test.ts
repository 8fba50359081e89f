import { expect } from "chai";
import { repetitions } from "../../../test/support/nightly.ts";
import { seededRandom } from "../../../test/support/seeded-random.ts";
import { adaptTool } from "../tool-schemas/adapt-tool.ts";
import { renameArguments } from "../tool-schemas/argument-names.ts";
import { APIS, toolWith } from "./adapted-request.ts";

const ROUNDS = repetitions({ daily: 10, nightly: 40 });
const NAMES = [
  "a",
  "b",
  "$filter",
  "filter",
  "x y",
  "x_y",
  "größe",
  "__proto__",
  "constructor",
  "",
  "ok-1",
  "n".repeat(80),
];
const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null", "any", "int", "STRING"];
const VALUES = [
  null,
  true,
  false,
  0,
  1,
  1.5,
  -1,
  "",
  "x",
  "1",
  [],
  ["x"],
  {},
  { $ref: "#" },
  { type: "string" },
];
const KEYS = [
  "type",
  "properties",
  "required",
  "items",
  "prefixItems",
  "additionalItems",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "$ref",
  "$id",
  "id",
  "$anchor",
  "$defs",
  "definitions",
  "enum",
  "const",
  "default",
  "nullable",
  "minimum",
  "exclusiveMinimum",
  "multipleOf",
  "minLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "pattern",
  "format",
  "title",
  "description",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "extends",
  "divisibleBy",
  "examples",
  "contains",
  "unevaluatedProperties",
  "x-other",
];
const SCHEMAS_BY_NAME = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
]);
const SCHEMA_LISTS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const SCHEMAS = new Set([
  "items",
  "additionalItems",
  "additionalProperties",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
  "extends",
  "unevaluatedProperties",
]);
const REFS = "# #/$defs/a #/definitions/b #/properties/a #spot part https://example.com/x #/a~1b/%zz a".split(
  " ",
);
const TEXTS = ["x", "^\\p{L}$", "[", "^[\\w-.]$", "(?<n>.)", "spot", "part", "#spot", "\uD800", ""];

/** Random schemas and what resembles them; the same seed gives the same. */
class RandomSchemas {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.#random() * list.length)];
  }

  schema(depth = 0): unknown {
    if (depth > 5 || this.#random() < 0.1) {
      return this.pick([...VALUES, { type: "string" }, { type: "array" }]);
    }
    const keys = Array.from({ length: 1 + Math.floor(this.#random() * 6) }, () => this.pick(KEYS) ?? "type");
    if (depth === 0) keys.push("properties", "$defs");
    return Object.fromEntries(keys.map((key) => [key, this.#value(key, depth + 1)]));
  }

  #value(key: string, depth: number): unknown {
    if (this.#random() < 0.1) return this.pick(VALUES);
    if (SCHEMAS_BY_NAME.has(key)) {
      return Object.fromEntries(this.#names().map((name) => [name, this.schema(depth)]));
    }
    if (SCHEMA_LISTS.has(key) || (key === "items" && this.#random() < 0.3)) {
      return Array.from({ length: Math.floor(this.#random() * 4) }, () => this.schema(depth));
    }
    if (SCHEMAS.has(key)) return this.schema(depth);
    if (key === "type") return this.#random() < 0.7 ? this.pick(TYPES) : [this.pick(TYPES), this.pick(TYPES)];
    if (key === "$ref") return this.pick(REFS);
    if (key === "required") return this.#names();
    if (key === "enum") {
      return Array.from({ length: Math.floor(this.#random() * 5) }, () => this.pick(VALUES));
    }
    if (key === "const" || key === "default") return this.pick(VALUES);
    return this.#random() < 0.5 ? this.pick(TEXTS) : this.pick(VALUES);
  }

  #names(): string[] {
    return Array.from({ length: Math.floor(this.#random() * 5) }, () => this.pick(NAMES) ?? "a");
  }

  /** Arguments with names from the schemas, in any nesting. */
  arguments(depth = 0): unknown {
    if (depth > 4 || this.#random() < 0.3) return this.pick(VALUES);
    if (this.#random() < 0.3) return [this.arguments(depth + 1), this.arguments(depth + 1)];
    return Object.fromEntries(this.#names().map((name) => [name, this.arguments(depth + 1)]));
  }
}

describe("random schemas", () => {
  for (const [api, { rules, refusal }] of Object.entries(APIS)) {
    it(`are accepted by ${api}, and arguments keep their values and find back`, () => {
      for (let seed = 1; seed <= ROUNDS; seed += 1) {
        const random = new RandomSchemas(seed);
        const schema = random.schema();
        const tool = adaptTool(toolWith(schema), rules);
        if ("hopeless" in tool) continue;
        const shown = `seed ${seed}: ${JSON.stringify(schema)}`;
        expect(refusal([tool.definition]), shown).to.equal(undefined);
        expect(adaptTool(toolWith(schema), rules), shown).to.deep.equal(tool);
        const own = JSON.stringify(random.arguments());
        const sent = renameArguments(own, tool.toApi);
        expect(values(sent), shown).to.deep.equal(values(own));
        expect(renameArguments(renameArguments(sent, tool.toTool), tool.toApi), shown).to.equal(sent);
      }
    });
  }
});

/** Everything in the text but names of properties. */
function values(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*":/gu, ":");
}
