import { expect } from "chai";
import type { ToolEffect } from "#shared/contracts/tool-list.ts";
import { DEFAULT_SETTINGS } from "../mcp/server-settings.ts";
import { applyToolRules, describeEffect } from "../stub/apply-tool-rules.ts";
import type { Tool } from "../tool.ts";

function stub(tool: string, said?: ToolEffect): [string, Tool] {
  const name = `lab.${tool}`;
  const texts = { name, server: "lab", description: "", parameters_schema: '{"type":"object"}' };
  const call = () => Promise.resolve({ isError: false, content: [] });
  return [name, { description: { ...texts, ...describeEffect(said) }, call }];
}

describe("applyToolRules", () => {
  it("gives stubs the rules of the server whose place they take, the stricter of list and file", () => {
    const stubs = new Map([
      stub("get_pod"),
      stub("delete_pod", "read"),
      stub("wipe", "destructive"),
      stub("secret_get"),
      stub("other"),
    ]);
    const lab = {
      ...DEFAULT_SETTINGS.tools,
      deny: ["secret_*"],
      read_only: ["get_*", "wipe"],
      write: ["delete_*"],
      approve: ["delete_*"],
    };
    const ruled = applyToolRules(stubs, new Map([["lab", lab]]));
    const said = [...ruled.values()].map(({ description: { name, effect, gate, needs_approval } }) =>
      [name, effect, gate, needs_approval ?? false].join(" "),
    );
    expect(said).to.deep.equal([
      "lab.get_pod read allow false",
      "lab.delete_pod write deny true",
      "lab.wipe destructive deny false",
      "lab.other write unknown false",
    ]);
    expect([...applyToolRules(stubs, new Map([["elsewhere", lab]])).keys()]).to.deep.equal([...stubs.keys()]);
  });
});
