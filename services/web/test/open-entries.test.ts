import { expect } from "chai";
import { DEFAULT_OPEN, isOpen, setOpen, toggleOpen } from "../session/open-entries.ts";
import { exampleEntry } from "./example-entry.ts";

describe("which entries are open", () => {
  const call = exampleEntry({
    id: "c",
    type: "llm_tool_call",
    call: { server: "k8s", tool: "pods", arguments: "{}" },
  });
  const thought = exampleEntry();

  it("are failures and what is being written, by default", () => {
    expect(isOpen(call, DEFAULT_OPEN)).to.equal(false);
    expect(isOpen({ ...call, status: "failed" }, DEFAULT_OPEN)).to.equal(true);
    expect(isOpen({ ...call, status: "streaming" }, DEFAULT_OPEN)).to.equal(false);
    expect(isOpen(thought, DEFAULT_OPEN)).to.equal(false);
    expect(isOpen({ ...thought, status: "streaming" }, DEFAULT_OPEN)).to.equal(true);
    expect(isOpen({ ...thought, type: "error" }, DEFAULT_OPEN)).to.equal(true);
  });

  it("are those of the kind that was asked for, and again none of them", () => {
    const tools = toggleOpen(DEFAULT_OPEN, "tools");
    expect([isOpen(call, tools), isOpen(thought, tools)]).to.deep.equal([true, false]);
    const none = toggleOpen(tools, "tools");
    expect(isOpen({ ...call, status: "failed" }, none)).to.equal(false);
  });

  it("are all of them, or none", () => {
    const all = toggleOpen(toggleOpen(DEFAULT_OPEN, "tools"), "all");
    expect([isOpen(call, all), isOpen(thought, all)]).to.deep.equal([true, true]);
    const none = toggleOpen(all, "all");
    expect([isOpen(call, none), isOpen(thought, none)]).to.deep.equal([false, false]);
  });

  it("are what the reader did with one of them, until the next key", () => {
    const closed = setOpen(toggleOpen(DEFAULT_OPEN, "all"), "c", false);
    expect([isOpen(call, closed), isOpen(thought, closed)]).to.deep.equal([false, true]);
    expect(isOpen(call, toggleOpen(closed, "tools"))).to.equal(true);
  });
});
