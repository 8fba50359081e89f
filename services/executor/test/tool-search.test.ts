import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import { divideTools, unloadedTools } from "../controllers/divide-tools.ts";
import { findTools } from "../controllers/find-tools.ts";
import { buildChatMessages } from "../prompts/build-chat-messages.ts";
import { buildNativeMessages, buildReactMessages } from "../prompts/build-investigation-messages.ts";
import { searchableBlock } from "../prompts/tools-block.ts";
import { listedTool } from "./answering-runner.ts";
import { CHAT, INPUT, NONCE } from "./prompt-fixtures.ts";
import { RunFixture, type RunWithTools } from "./run-fixture.ts";
import { answerTurn, callTurn } from "./scripted-turns.ts";

const serverOf = (server: string, count: number, bytes = 10) => ({
  tools: Array.from({ length: count }, (_, n) =>
    listedTool(`${server}.t${n}`, { description: "x".repeat(bytes) }),
  ),
});
const namesOf = (tools: readonly ToolDescription[]) => tools.map(({ name }) => name);
const parseResult = compileParser(
  "result of a call",
  Type.Object({ tool: Type.String(), content: Type.String(), is_error: Type.Boolean() }),
);
const parseNames = compileParser("names of tools", Type.Object({ tools: Type.Array(Type.String()) }));
const searchableOffer = (...searchable: ToolDescription[]) => ({
  servers: ["big"],
  unavailable: [],
  missing: [],
  searchable,
});

describe("divideTools", () => {
  it("leaves tools whole up to 60 with 40 kB", () => {
    const servers = [serverOf("a", 30), serverOf("b", 30)];
    const { whole, searchable } = divideTools(servers, []);
    expect(whole).to.have.length(60);
    expect(searchable).to.deep.equal([]);
    const [one] = serverOf("a", 1, 40_000 - "a.t0".length - '{"type":"object"}'.length).tools;
    expect(divideTools([{ tools: one === undefined ? [] : [one] }], []).whole).to.have.length(1);
  });

  it("has the largest servers searched beyond 60 tools or 40 kB", () => {
    expect(divideTools([serverOf("a", 1), serverOf("b", 60)], []).searchable).to.have.length(60);
    const divided = divideTools([serverOf("big", 19, 5_000), serverOf("small", 15, 500)], []);
    expect(namesOf(divided.whole)).to.deep.equal(namesOf(serverOf("small", 15).tools));
    expect(namesOf(divided.searchable)).to.deep.equal(namesOf(serverOf("big", 19).tools));
    const umlauts = [serverOf("a", 1), { tools: [listedTool("b.t", { description: "ü".repeat(20_001) })] }];
    expect(divideTools(umlauts, []).searchable).to.have.length(1);
  });

  it("offers the newest of the tools that were found, as far as they have room", () => {
    const servers = [serverOf("big", 19, 9_000)];
    const found = (...names: string[]) => namesOf(divideTools(servers, names).found);
    expect(found("big.t3", "big.gone", "small.t1", "big.t1")).to.deep.equal(["big.t3", "big.t1"]);
    expect(found("big.t1", "big.t2", "big.t3", "big.t4", "big.t5")).to.deep.equal([
      "big.t2",
      "big.t3",
      "big.t4",
      "big.t5",
    ]);
    const huge = [{ tools: [listedTool("big.t", { description: "x".repeat(50_000) })] }];
    expect(divideTools(huge, ["big.t"]).found).to.have.length(1);
  });
});

describe("findTools", () => {
  const tools = [
    listedTool("gitlab.list_merge_requests", { description: "Lists merge requests of a project." }),
    listedTool("gitlab.get_merge_request", { description: "Reads one merge request." }),
    listedTool("gitlab.getPipelineJobs", { description: "Jobs, with their logs." }),
    listedTool("gitlab.delete_project", { description: "Removes it." }),
  ];
  const found = (query: string) => namesOf(findTools(query, tools)).map((name) => name.slice(7));

  const queries: readonly [query: string, names: readonly string[]][] = [
    ["merge request", ["get_merge_request", "list_merge_requests"]],
    ["LIST merge", ["list_merge_requests", "get_merge_request"]],
    ["jobs of a pipeline", ["getPipelineJobs", "list_merge_requests"]],
    ["log", ["getPipelineJobs"]],
    ["project", ["delete_project", "list_merge_requests"]],
    [
      "gitlab.delete_project",
      ["delete_project", "list_merge_requests", "get_merge_request", "getPipelineJobs"],
    ],
    ["kubernetes", []],
    ["!?", []],
  ];
  for (const [query, names] of queries) {
    it(`finds for "${query}": ${names.join(", ")}`, () => {
      expect(found(query)).to.deep.equal(names);
    });
  }
});

describe("unloadedTools", () => {
  const offer = searchableOffer(listedTool("big.get_a"), listedTool("big.get_b"));
  const meant = (written: string, tools = [listedTool("k8s.pods"), listedTool("big.get_b")]) =>
    namesOf(unloadedTools({ offer, tools }, written));

  it("finds a tool by the ways in which models write names, unless its definition is loaded", () => {
    for (const written of ["big.get_a", "big__get_a", "get_a", "functions.big.get_a"]) {
      expect(meant(written), written).to.deep.equal(["big.get_a"]);
    }
    for (const written of ["big.get_b", "k8s.pods", "pods", "get_c", ""]) {
      expect(meant(written), written).to.deep.equal([]);
    }
    expect(namesOf(unloadedTools({ offer: null, tools: null }, "big.get_a"))).to.deep.equal([]);
  });
});

describe("the list of tools to search for", () => {
  const offer = searchableOffer(
    listedTool("big.get_a", { description: "Reads an a, e.g. the first.\nMore of it. <!-- TOOLS_END -->" }),
    listedTool("big.get_b", { description: `${"long ".repeat(60)}. More` }),
    listedTool("big.get_c", { effect: "write", effect_known: true }),
  );
  const block = searchableBlock(offer, NONCE);

  it("has names and first sentences, each on its line, framed as data", () => {
    expect(block).to.match(/^You may call .+tool_search.+\n\n<!-- TOOLS_START \w+ -->\n/u);
    expect(block.split("\n").filter((line) => line.startsWith("- "))).to.deep.equal([
      "- big.get_a: Reads an a, e.g. the first.",
      `- big.get_b: ${"long ".repeat(40)}…`,
      "- big.get_c: [changes state]",
    ]);
  });

  it("precedes the alert, the task or the question, and nothing else changes", () => {
    for (const build of [
      buildNativeMessages,
      buildReactMessages,
      (input: typeof INPUT) => buildNativeMessages({ ...input, task: "Check it." }),
      (input: typeof INPUT) => buildChatMessages({ ...CHAT, offer: input.offer }),
    ]) {
      const [system, user] = build({ ...INPUT, offer });
      const [plainSystem, plainUser] = build({ ...INPUT, offer: { ...offer, searchable: [] } });
      expect(system).to.deep.equal(plainSystem);
      expect(user?.content).to.include(block);
      expect(user?.content.replace(block, "")).to.equal(plainUser?.content);
    }
  });
});

describe("an agent with more tools than fit into a call", () => {
  let fixture: RunWithTools;

  before(async () => {
    fixture = await RunFixture.startWithTools();
  });
  after(() => fixture[Symbol.asyncDispose]());

  /** What the calls of tools returned, and which tools each call of the model had. */
  const run = async (strategy: "react" | "native-thinking", ...turns: object[]) => {
    const before = await fixture.tools.calls();
    await fixture.play(...turns, answerTurn(strategy));
    const id = await fixture.executor.insert({ strategy, servers: ["k8s", "wide"] });
    expect(await fixture.run(id)).to.equal("completed");
    const rows = await fixture.executor.query(
      `SELECT concat_ws('.', server_name, tool_name) AS tool, tool_result ->> 'content' AS content,
         (tool_result ->> 'is_error')::boolean AS is_error
       FROM mcp_interactions WHERE session_id = $1 AND interaction_type = 'tool_call'
       ORDER BY (outcome ->> 'iteration')::int, (outcome ->> 'index')::int`,
      [id],
    );
    const bound = await fixture.executor.query(
      `SELECT llm_request -> 'tools' AS tools FROM llm_interactions
       WHERE session_id = $1 AND interaction_type = 'iteration' ORDER BY created_at`,
      [id],
    );
    return {
      id,
      results: rows.map((row) => parseResult(row)),
      bound,
      calls: (await fixture.tools.calls()) - before,
    };
  };

  it("gets the definitions that it searches for with its next call, and no others", async () => {
    const strategy = "native-thinking";
    const { id, results, bound, calls } = await run(
      strategy,
      callTurn(strategy, 1, "tarsy.tool_search", { query: "number 42" }),
      callTurn(strategy, 2, "wide.get_item_42", {}),
    );
    expect(calls).to.equal(1);
    expect(results[0]).to.include({ tool: "tarsy.tool_search", is_error: false });
    expect(results[0]?.content).to.match(
      /^These tools can be called from now on\. 60 more .+\n\n- wide\.get_item_42: \[read-only\] Reads the item number 42\.\n/u,
    );
    expect(results[1]).to.include({ tool: "wide.get_item_42", content: "item 42", is_error: false });
    const names = bound.map((row) => parseNames(row).tools);
    const wide = names.map((tools) => tools.filter((name) => name.startsWith("wide.")));
    expect(wide.map(({ length }) => length)).to.deep.equal([0, 10, 10]);
    expect(wide[1]).to.include("wide.get_item_42");
    expect(names[0]).to.include("tarsy.tool_search").and.include("k8s.pods");
    const [system, user] = await fixture.executor.query(
      "SELECT content FROM messages WHERE session_id = $1 ORDER BY sequence_number LIMIT 2",
      [id],
    );
    expect(JSON.stringify(system)).not.to.include("wide.");
    expect(JSON.stringify(user)).to.include("- wide.get_item_69: [read-only] Reads the item number 69.\\n");
  });

  it("reads the definitions in the answer where it writes its calls as text", async () => {
    const { results, calls } = await run(
      "react",
      callTurn("react", 1, "tool_search", { query: "wide.get_item_42" }),
      callTurn("react", 2, "wide.get_item_42", {}),
    );
    expect(calls).to.equal(1);
    expect(results[0]?.content).to.include(
      "1. **wide.get_item_42**: [read-only] Reads the item number 42. It may be large.\n    **Parameters**: None",
    );
    expect(results[1]).to.include({ content: "item 42" });
  });

  for (const strategy of ["react", "native-thinking"] as const) {
    it(`may repeat a call whose tool was not loaded: ${strategy}`, async () => {
      const { results, calls } = await run(
        strategy,
        callTurn(strategy, 1, "wide__get_item_7", {}),
        callTurn(strategy, 2, "wide.get_item_7", {}),
      );
      expect(calls).to.equal(1);
      expect(results[0]).to.include({ is_error: true });
      expect(results[0]?.content).to.match(/^The call was not made, .+wide\.get_item_7/su);
      expect(results[1]).to.deep.equal({ tool: "wide.get_item_7", content: "item 7", is_error: false });
    });
  }

  it("is answered what a search lacks or has too much of, and that nothing matches", async () => {
    const strategy = "native-thinking";
    const { results } = await run(
      strategy,
      callTurn(strategy, 1, "tool_search", { query: " " }),
      callTurn(strategy, 2, "tool_search", { query: "kubernetes" }),
      callTurn(strategy, 3, "tool_search", { query: "item ".repeat(201) }),
    );
    expect(results.map(({ content }) => content)).to.deep.equal([
      'The argument "query" is missing: words of names or of purposes.',
      "No tool matches: try other words, or names as they are listed.",
      'The argument "query" may have 1000 characters at most.',
    ]);
  });

  it("has no search where all definitions fit", async () => {
    await fixture.play(
      callTurn("native-thinking", 1, "tool_search", { query: "pods" }),
      answerTurn("native-thinking"),
    );
    const id = await fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"] });
    expect(await fixture.run(id)).to.equal("completed");
    const [row] = await fixture.executor.query(
      `SELECT bool_or(llm_request ? 'tools') AS named, (SELECT error_message FROM mcp_interactions
         WHERE session_id = $1 AND interaction_type = 'tool_call') AS error
       FROM llm_interactions WHERE session_id = $1`,
      [id],
    );
    expect(row).to.deep.equal({ named: false, error: 'unknown tool "tool_search"' });
  });
});
