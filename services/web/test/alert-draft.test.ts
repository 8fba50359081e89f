import { expect } from "chai";
import {
  EMPTY_DRAFT,
  bodyOf,
  draftOf,
  fieldOf,
  newKey,
  withServer,
  withTool,
} from "../screens/submit/alert-draft.ts";

describe("bodyOf(draft)", () => {
  it("leaves out what the configuration decides", () => {
    expect(bodyOf({ ...EMPTY_DRAFT, text: "disk full", runbook: " " })).to.deep.equal({ data: "disk full" });
  });

  it("names the selected servers, and their tools unless all are selected", () => {
    const all = ["get", "list"];
    const some = withTool(withServer(EMPTY_DRAFT, "a", true), { server: "a", tool: "get", all }, false);
    const draft = withServer({ ...some, text: "x" }, "b", true);
    expect(bodyOf(draft)).to.deep.equal({
      data: "x",
      mcp: { servers: [{ name: "a", tools: ["list"] }, { name: "b" }] },
    });
    const again = withTool(draft, { server: "a", tool: "get", all }, true);
    expect(bodyOf(withServer(again, "b", false)).mcp).to.deep.equal({ servers: [{ name: "a" }] });
  });
});

describe("draftOf(session)", () => {
  it("sends the same alert again", () => {
    const selection = { servers: [{ name: "a", tools: ["get"] }, { name: "b" }] };
    const session = { alert_data: "x", alert_type: "t", runbook_url: null, mcp_selection: selection };
    expect(bodyOf(draftOf(session))).to.deep.equal({ data: "x", alert_type: "t", mcp: selection });
  });
});

describe("fieldOf(message)", () => {
  it("finds the field of an error", () => {
    expect(fieldOf("validation error on field 'mcp.servers': unknown")).to.equal("servers");
    expect(fieldOf("validation error on field 'alert_type': no chain")).to.equal("type");
    expect(fieldOf("validation error on field 'constructor': no")).to.equal(undefined);
    expect(fieldOf("the database is unavailable")).to.equal(undefined);
  });
});

describe("newKey()", () => {
  it("is another one each time, in the form that the API takes", () => {
    const keys = Array.from({ length: 50 }, newKey);
    expect(new Set(keys).size).to.equal(50);
    for (const key of keys) expect(key).to.match(/^[0-9a-f]{32}$/u);
  });
});
