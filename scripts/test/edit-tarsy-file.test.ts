import { expect } from "chai";
import { insertServer, removeServer } from "../tarsy/packs/edit-tarsy-file.ts";

const FILE = `# ours
defaults: { llm_provider: x } # the best
mcp_servers: # sources
    # the first
    one:
        transport: { type: stdio, command: {{.PROGRAM}} }

agents:
  A: { mcp_servers: [one] }
`;

describe("an edit of tarsy.yaml", () => {
  it("inserts a server with the file's indentation, and removes it without a trace", () => {
    const edited = insertServer(FILE, "two", ["pack: two", "settings:", "  a: b"]);
    const entry = "    two:\n      pack: two\n      settings:\n        a: b\n";
    expect(edited).to.equal(FILE.replace("# sources\n", `# sources\n${entry}`));
    expect(removeServer(edited, "two")).to.equal(FILE);
  });

  it("adds the section where there is none, and removes it with the last server", () => {
    expect(insertServer("", "a", ["pack: a"])).to.equal("mcp_servers:\n  a:\n    pack: a\n");
    const edited = insertServer("queue:\n  worker_count: 1", "a", ["pack: a"]);
    expect(edited).to.equal("queue:\n  worker_count: 1\n\nmcp_servers:\n  a:\n    pack: a\n");
    expect(removeServer(edited, "a")).to.equal("queue:\n  worker_count: 1\n\n");
    expect(insertServer("mcp_servers:", "a", ["pack: a"])).to.equal("mcp_servers:\n  a:\n    pack: a\n");
  });

  it("is refused where it could change something else", () => {
    expect(() => insertServer(FILE, "one", ["pack: one"])).to.throw("has one already: it is left as it is");
    expect(() => insertServer("mcp_servers: { a: { pack: a } }\n", "b", [])).to.throw("in braces");
    expect(() => insertServer("a: [\n", "b", ["pack: b"])).to.throw("no valid YAML");
    expect(() => removeServer(FILE, "two")).to.throw("mcp_servers has no two");
    const anchored = "mcp_servers:\n  a: &a\n    pack: a\n  b: *a\n";
    expect(() => removeServer(anchored, "a")).to.throw();
  });
});
