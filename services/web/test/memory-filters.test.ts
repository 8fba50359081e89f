import { expect } from "chai";
import { hasMemoryFilters, memoryFiltersOf, memoryQueryOf } from "../screens/memories/memory-filters.ts";

const SOURCE = "019ab0c4-7c1e-7d3a-9f70-2b7a4a9e1c55";

describe("the filters of the memories", () => {
  it("become the query of the api", () => {
    const filters = memoryFiltersOf({
      category: "episodic",
      valence: "negative",
      deprecated: "false",
      source: SOURCE,
      page: "2",
    });
    expect(hasMemoryFilters(filters)).to.equal(true);
    expect(memoryQueryOf(filters)).to.deep.equal({
      page: 2,
      page_size: 20,
      category: "episodic",
      valence: "negative",
      deprecated: "false",
      source_session_id: SOURCE,
    });
  });

  it("leave out what the api would refuse", () => {
    const filters = memoryFiltersOf({ category: "x", valence: "", deprecated: "1", source: "a", page: "-1" });
    expect(hasMemoryFilters(filters)).to.equal(false);
    expect(memoryQueryOf(filters)).to.deep.equal({ page: 1, page_size: 20 });
  });
});
