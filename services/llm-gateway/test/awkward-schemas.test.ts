import { expect } from "chai";
import { adaptTools } from "../tool-schemas/adapt-call.ts";
import { APIS, toolWith } from "./adapted-request.ts";
import { AWKWARD_SCHEMAS, HOPELESS_SCHEMAS } from "./awkward-schemas.ts";
import { OVERSIZED_SCHEMAS } from "./oversized-schemas.ts";

describe("a tool with an awkward schema", () => {
  for (const [api, { rules, refusal }] of Object.entries(APIS)) {
    describe(`for ${api}`, () => {
      for (const [name, schema] of Object.entries({ ...AWKWARD_SCHEMAS, ...OVERSIZED_SCHEMAS })) {
        it(`is accepted with ${name}`, () => {
          const { tools } = adaptTools([toolWith(schema)], rules);
          const definitions = [...tools.values()].map(({ definition }) => definition);
          expect(definitions).to.have.length(1);
          expect(refusal(definitions)).to.equal(undefined);
          expect(definitions[0]?.parametersSchema.length).to.be.below(rules.maxSchemaLength);
          expect(definitions[0]?.parametersSchema).not.to.contain("$ref");
        });
      }

      it("is left out if no arguments are valid, and the other tools stay", () => {
        const hopeless = HOPELESS_SCHEMAS.map((schema, index) =>
          toolWith(schema, { name: `server.no${index}` }),
        );
        const { tools, warnings } = adaptTools([...hopeless, toolWith({})], rules);
        expect([...tools.keys()]).to.deep.equal(["server.tool"]);
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.include({ code: "tools_left_out" });
        expect(warnings[0]?.message).to.contain("server.no0 (its schema accepts no arguments), server.no1");
      });
    });
  }
});
