import { expect } from "chai";
import { serverUser } from "../stdio/server-user.ts";

describe("serverUser", () => {
  it("reads a user and a group, or neither", () => {
    expect(serverUser({ MCP_SERVER_USER: "65534:1001" }, 0)).to.deep.equal({ uid: 65_534, gid: 1_001 });
    expect(serverUser({}, 1_000)).to.equal(undefined);
    expect(serverUser({ MCP_SERVER_USER: "" }, 1_000)).to.equal(undefined);
  });

  it("refuses another form, and a process that is not root", () => {
    for (const text of ["nobody", "1", "1:", ":1", "-1:1", "1:1:1"]) {
      expect(() => serverUser({ MCP_SERVER_USER: text }, 0), text).to.throw(`found "${text}"`);
    }
    expect(() => serverUser({ MCP_SERVER_USER: "1:1" }, 1_000)).to.throw("runs as root");
  });
});
