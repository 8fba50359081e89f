import { expect } from "chai";
import { conclusionSchema } from "../../prompts/conclusion-prompts.ts";

/** Keywords that every provider takes. */
const KEYWORDS = new Set("type description enum properties required items additionalProperties".split(" "));

/** The names of causes, entities and categories that the schema has as an enum, by member. */
function enumsOf(names?: Parameters<typeof conclusionSchema>[0]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  JSON.stringify(conclusionSchema(names), (key, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    if (key === "properties") return value;
    for (const keyword of Object.keys(value)) expect(KEYWORDS).to.include(keyword);
    if ("enum" in value && Array.isArray(value.enum)) {
      expect(value).to.have.property("type", "string");
      found[key] = value.enum.length;
    }
    return value;
  });
  return found;
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `app/service-${index}`);

describe("conclusionSchema", () => {
  it("lets a task's names be chosen, or none of them", () => {
    expect(enumsOf()).to.deep.equal({ status: 3, kind: 11 });
    const names = { codes: numbered(49), categories: numbered(7), entities: numbered(70) };
    expect(enumsOf(names)).to.deep.equal({ status: 3, kind: 11, code: 50, category: 8, entity: 71 });
  });

  it("leaves several hundred names to the instructions", () => {
    const names = { codes: ["oom_killed"], categories: [], entities: numbered(500) };
    expect(enumsOf(names)).to.deep.equal({ status: 3, kind: 11, code: 2 });
  });
});
