import { expect } from "chai";
import { isObject } from "#shared/exact-json.ts";
import { adaptTool, type AdaptedTool } from "../tool-schemas/adapt-tool.ts";
import { renameArguments } from "../tool-schemas/argument-names.ts";
import {
  ANTHROPIC_RULES,
  CONSERVATIVE_RULES,
  GEMINI_RULES,
  AZURE_RULES,
  OPENAI_RULES,
  type ToolRules,
} from "../tool-schemas/tool-rules.ts";
import { toolWith } from "./adapted-request.ts";

function adapt(schema: unknown, rules: ToolRules): AdaptedTool {
  const tool = adaptTool(toolWith(schema), rules);
  if ("hopeless" in tool) throw new Error(tool.hopeless);
  return tool;
}

function schemaFor(schema: unknown, rules: ToolRules): unknown {
  const value: unknown = JSON.parse(adapt(schema, rules).definition.parametersSchema);
  return value;
}

/** The schema of a tool with one argument `a`, in the form of this API. */
function argument(schema: unknown, rules: ToolRules, rest: object = {}): unknown {
  const whole = schemaFor({ type: "object", properties: { a: schema }, ...rest }, rules);
  const properties = isObject(whole) ? whole["properties"] : undefined;
  return isObject(properties) ? properties["a"] : undefined;
}

describe("adaptTool", () => {
  it("leaves a schema that every API accepts as it is", () => {
    const schema = {
      type: "object",
      properties: {
        namespace: { type: "string", description: "Where." },
        labels: { type: "array", items: { type: "string" } },
        limit: { type: "integer", enum: [10, 100] },
      },
      required: ["namespace"],
      additionalProperties: false,
    };
    for (const rules of [GEMINI_RULES, OPENAI_RULES, ANTHROPIC_RULES, CONSERVATIVE_RULES]) {
      expect(schemaFor(schema, rules)).to.deep.equal(schema);
    }
  });

  it("says in words that a value may be empty where the API refuses the whole call for it", () => {
    const code = { type: "string", enum: ["oom_killed", ""] };
    expect(argument(code, ANTHROPIC_RULES)).to.deep.equal(code);
    expect(argument(code, GEMINI_RULES)).to.include({ description: '(or "")' });
    expect(JSON.stringify(argument({ enum: ["", "a"] }, GEMINI_RULES))).to.include('"enum":["a"]');
  });

  it("puts a referenced schema in the reference's place, together with what is beside it", () => {
    const rest = { $defs: { Mode: { type: "string", enum: ["x", "y"], description: "Any mode." } } };
    expect(
      argument({ $ref: "#/$defs/Mode", description: "This mode." }, ANTHROPIC_RULES, rest),
    ).to.deep.equal({
      type: "string",
      enum: ["x", "y"],
      description: "This mode.",
    });
  });

  it("finds references by pointer, anchor, identifier and bare name", () => {
    const $defs = {
      "a/b": { type: "integer" },
      A: { $anchor: "spot", type: "boolean" },
      P: { $id: "part", type: "null", $defs: { X: { type: "number" } } },
    };
    const rest = { $id: "https://example.com/tool", $defs };
    const refs = {
      "#/$defs/a~1b": "integer",
      "#spot": "boolean",
      part: "null",
      "https://example.com/part#/$defs/X": "number",
      A: "boolean",
    };
    for (const [$ref, type] of Object.entries(refs)) {
      expect(argument({ $ref }, OPENAI_RULES, rest)).to.deep.equal({ type });
    }
  });

  it("ends recursion with an open schema and a note, and says what a reference to elsewhere is", () => {
    const rest = {
      definitions: { Node: { type: "object", properties: { next: { $ref: "#/definitions/Node" } } } },
    };
    const text = JSON.stringify(argument({ $ref: "#/definitions/Node" }, GEMINI_RULES, rest));
    expect(text.match(/"next"/gu)).to.have.length(3);
    expect(text).to.contain("the same structure again, left out here");
    expect(argument({ $ref: "https://example.com/x.json" }, GEMINI_RULES)).to.deep.equal({
      description: "(see https://example.com/x.json)",
    });
  });

  it("merges alternatives at the root: the properties of all, required what all require", () => {
    const schema = {
      oneOf: [
        {
          title: "By id",
          properties: { kind: { const: "id" }, id: { type: "string" } },
          required: ["kind", "id"],
        },
        { properties: { kind: { const: "url" }, url: { type: "string" } }, required: ["kind", "url"] },
      ],
    };
    for (const rules of [OPENAI_RULES, ANTHROPIC_RULES, GEMINI_RULES]) {
      const { definition } = adapt(schema, rules);
      expect(JSON.parse(definition.parametersSchema)).to.deep.equal({
        type: "object",
        properties: {
          kind: { type: "string", enum: ["id", "url"] },
          id: { type: "string" },
          url: { type: "string" },
        },
        required: ["kind"],
      });
      expect(definition.description).to.equal(
        "Does.\n\nThe arguments are one of these sets: (1) By id: required kind, id (2) required kind, url",
      );
    }
  });

  it("merges all of allOf: required is what any requires", () => {
    const schema = {
      allOf: [
        { properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { a: { minLength: 1 }, b: {} }, required: ["b"], additionalProperties: false },
      ],
    };
    expect(schemaFor(schema, ANTHROPIC_RULES)).to.deep.equal({
      type: "object",
      properties: { a: { type: "string", minLength: 1 }, b: {} },
      required: ["a", "b"],
      additionalProperties: false,
    });
  });

  it("writes tuples in the form that each API takes", () => {
    const tuple = { type: "array", items: [{ type: "integer" }, { type: "string" }], additionalItems: false };
    const prefixItems = [{ type: "integer" }, { type: "string" }];
    expect(argument(tuple, ANTHROPIC_RULES)).to.deep.equal({
      type: "array",
      prefixItems,
      items: {},
      maxItems: 2,
    });
    expect(argument(tuple, OPENAI_RULES)).to.deep.equal({
      type: "array",
      items: { anyOf: prefixItems },
      maxItems: 2,
      description: "(a list of, in this order: integer, string)",
    });
  });

  it("gives every array items, and reads the earlier drafts", () => {
    expect(argument({ type: "array" }, OPENAI_RULES)).to.deep.equal({ type: "array", items: {} });
    expect(argument({ type: "number", minimum: 1, exclusiveMinimum: true }, ANTHROPIC_RULES)).to.deep.equal({
      type: "number",
      exclusiveMinimum: 1,
    });
    expect(schemaFor({ properties: { a: { type: "string", required: true } } }, OPENAI_RULES)).to.deep.equal({
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
    });
  });

  it("tells the model in words what an API has no keyword for", () => {
    const schema = {
      type: "string",
      description: "A name.",
      pattern: "^\\p{L}+$",
      maxLength: 9,
      default: null,
    };
    expect(argument(schema, GEMINI_RULES)).to.deep.equal({
      type: "string",
      description: 'A name. (maxLength: 9; pattern: "^\\\\p{L}+$")',
    });
    expect(argument(schema, OPENAI_RULES)).to.deep.equal({
      type: "string",
      maxLength: 9,
      description: 'A name. (pattern: "^\\\\p{L}+$")',
    });
  });

  it("makes no argument required that was optional, and none optional that was required", () => {
    const schema = {
      type: "object",
      properties: { a: {}, b: { type: ["string", "null"] }, c: { nullable: true } },
      required: ["b"],
    };
    for (const rules of [GEMINI_RULES, OPENAI_RULES, ANTHROPIC_RULES, CONSERVATIVE_RULES]) {
      expect(schemaFor(schema, rules)).to.have.property("required").that.deep.equals(["b"]);
    }
  });

  it("shortens a schema that is too large, required arguments last, and says so", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, index) => [
        `a${index}`,
        { type: "string", description: "Long. ".repeat(50) },
      ]),
    );
    const { definition, loss } = adapt({ type: "object", properties, required: ["a1999"] }, OPENAI_RULES);
    expect(loss).to.equal("its schema is too large and was shortened");
    expect(definition.parametersSchema.length).to.be.below(OPENAI_RULES.maxSchemaLength);
    expect(definition.parametersSchema).to.contain('"required":["a1999"]').and.contain('"a50"');
  });

  it("keeps descriptions within the API's limit, also with a text about alternatives", () => {
    const schema = {
      anyOf: [
        { properties: { a: {} }, required: ["a"] },
        { properties: { b: {} }, required: ["b"] },
      ],
    };
    const tool = adaptTool(toolWith(schema, { description: "😀".repeat(3_000) }), AZURE_RULES);
    if ("hopeless" in tool) throw new Error(tool.hopeless);
    const { description } = tool.definition;
    expect(description.length).to.be.at.most(1_024);
    expect(description.isWellFormed()).to.equal(true);
    expect(description).to.match(
      /…\n\nThe arguments are one of these sets: \(1\) required a \(2\) required b$/u,
    );
  });
});

describe("names of arguments that an API refuses", () => {
  const inner = { type: "object", properties: { $top: { type: "integer" }, plain: {} }, required: ["$top"] };
  const schema = {
    type: "object",
    properties: {
      $filter: { type: "string" },
      filter: { type: "string" },
      "list of": { type: "array", items: inner },
      either: { anyOf: [inner, { type: "string" }] },
      "by name": { type: "object", additionalProperties: inner },
      pair: { type: "array", items: [inner, { type: "object" }] },
      free: { type: "object" },
      __proto__x: {},
      constructor: {},
      ["__proto__"]: { type: "string" },
    },
    required: ["$filter", "list of"],
    dependencies: { $filter: ["list of"] },
  };
  const text = JSON.stringify(schema);

  it("are replaced everywhere, each by a name of its own", () => {
    const { definition } = adapt(text, ANTHROPIC_RULES);
    const written: unknown = JSON.parse(definition.parametersSchema);
    expect(written)
      .to.have.property("required")
      .that.deep.equals([names("$filter"), "list_of"]);
    expect(written)
      .to.have.nested.property(`dependentRequired.${names("$filter")}`)
      .that.deep.equals(["list_of"]);
    expect(definition.parametersSchema).not.to.match(/"\$(?:filter|top)":/u);
    expect(definition.parametersSchema).to.contain('"proto":{').and.not.contain('"__proto__":');
    expect(definition.parametersSchema).to.contain(`(the tool's name: \\"$filter\\")`);
  });

  it("come back exactly, with everything else untouched", () => {
    const { toTool, toApi } = adapt(text, ANTHROPIC_RULES);
    const own =
      '{ "$filter" : "a eq \\u0027b\\u0027 $top", "filter":"x", "list of":[{"$top":12345678901234567890,"plain":1e400},{}],' +
      '"either":{"$top":1.0}, "by name":{"$top":{"$top":1},"x y":{"$top":2}},"pair":[{"$top":1},{"$top":1}],' +
      '"free":{"top":1,"list_of":[{"top":2}]},"constructor":{"list of":1},"__proto__":"p","unknown":{"top":1}}';
    const sent = renameArguments(own, toApi);
    expect(sent).to.contain(`"${names("$filter")}" : "a eq \\u0027b\\u0027 $top"`);
    expect(sent).to.contain('"list_of":[{"top":12345678901234567890,"plain":1e400},{}]');
    expect(sent)
      .to.contain('"either":{"top":1.0}')
      .and.contain('"by_name":{"$top":{"top":1},"x y":{"top":2}}');
    expect(sent)
      .to.contain('"pair":[{"top":1},{"$top":1}]')
      .and.contain('"free":{"top":1,"list_of":[{"top":2}]}');
    expect(sent).to.contain('"proto":"p"').and.contain('"constructor":{"list of":1}');
    expect(renameArguments(sent, toTool)).to.equal(own);
  });

  it("are also found when a model escapes them, and left if it uses the tool's own", () => {
    const { toTool } = adapt(text, ANTHROPIC_RULES);
    expect(renameArguments('{"list\\u005fof":[]}', toTool)).to.equal('{"list of":[]}');
    expect(renameArguments('{"list of":[]}', toTool)).to.equal('{"list of":[]}');
  });

  for (const json of ["", "{", "null", "[]", '"text"', "7", `${"[".repeat(300)}${"]".repeat(300)}`]) {
    it(`do not matter in arguments like ${json.slice(0, 10)}`, () => {
      expect(renameArguments(json, adapt(text, ANTHROPIC_RULES).toTool)).to.equal(json);
    });
  }

  /** The name that replaces this one. */
  function names(name: string): string {
    const { toApi } = adapt(text, ANTHROPIC_RULES);
    return toApi?.properties.get(name)?.name ?? name;
  }
});
