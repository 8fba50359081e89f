import { expect } from "chai";
import { isObject } from "#shared/exact-json.ts";
import { STEP } from "../../../test/support/nightly.ts";
import { adaptTool } from "../tool-schemas/adapt-tool.ts";
import { adaptTools } from "../tool-schemas/adapt-call.ts";
import { APIS } from "./adapted-request.ts";
import { toolListings } from "./tool-listings.ts";

const LISTINGS = toolListings();

describe("the listings of real MCP servers", () => {
  it("are refused in part as they are", () => {
    const tools = [...LISTINGS.values()].flat();
    expect(tools).to.have.length.above(500);
    for (const api of ["Gemini", "OpenAI chat", "OpenAI Responses", "xAI"]) {
      const isRefused = [...LISTINGS.values()].some((listing) => APIS[api]?.refusal(listing) !== undefined);
      expect(isRefused, api).to.equal(true);
    }
  });

  for (const [api, { rules, refusal }] of Object.entries(APIS)) {
    for (const [name, tools] of LISTINGS) {
      it(`${name}'s is accepted by ${api}`, () => {
        const adapted = adaptTools(tools, rules);
        const definitions = [...adapted.tools.values()].map(({ definition }) => definition);
        expect(refusal(definitions)).to.equal(undefined);
        expect(definitions).to.have.length(Math.min(tools.length, rules.maxTools));
      });
    }

    it(`keep every argument of theirs for ${api}`, () => {
      for (const tool of [...LISTINGS.values()].flat().filter((_, index) => index % STEP === 0)) {
        const adapted = adaptTool(tool, rules);
        if ("hopeless" in adapted) throw new Error(`${tool.name}: ${adapted.hopeless}`);
        expect(adapted.loss, tool.name).to.equal(undefined);
        const own = propertyNames(tool.parametersSchema);
        const shown = propertyNames(adapted.definition.parametersSchema);
        const back = shown.map((name) => adapted.toTool?.properties.get(name)?.name ?? name);
        expect(back, tool.name).to.include.members(own);
      }
    });
  }
});

function propertyNames(schema: string): string[] {
  const value: unknown = JSON.parse(schema);
  return isObject(value) && isObject(value["properties"]) ? Object.keys(value["properties"]) : [];
}
