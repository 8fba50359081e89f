import { expect } from "chai";
import type { CodeExecutionDelta, GroundingDelta } from "#shared/generated/llm/v1/llm.ts";
import { nativeToolRows } from "../llm/native-tool-rows.ts";

const rows = (given: {
  codeExecutions?: readonly CodeExecutionDelta[];
  groundings?: readonly GroundingDelta[];
}) =>
  nativeToolRows({
    outcome: { kind: "completed" },
    text: "",
    thinking: "",
    toolCalls: [],
    codeExecutions: given.codeExecutions ?? [],
    groundings: given.groundings ?? [],
    usage: null,
    providerState: null,
    answeredBy: null,
    warnings: [],
  });

const SOURCES = [
  { uri: "https://a.example", title: "A" },
  { uri: "https://b.example", title: "" },
];
const GROUNDING: GroundingDelta = {
  webSearchQueries: [],
  groundingChunks: SOURCES,
  groundingSupports: [],
  searchEntryPointHtml: "<div>dropped</div>",
};

describe("nativeToolRows", () => {
  it("pairs code with its result across chunks and keeps unpaired ones", () => {
    const code = (text: string, result = "") => ({ code: text, result });
    const found = rows({
      codeExecutions: [
        code("a = 1"),
        code("", "1"),
        code("b", "2"),
        code("orphan"),
        code("c"),
        code("", "3"),
      ],
    });
    const fence = (python: string, output: string) =>
      `\`\`\`python\n${python}\n\`\`\`\n\nOutput:\n\`\`\`\n${output}\n\`\`\``;
    expect(found.map(({ content }) => content)).to.deep.equal([
      fence("a = 1", "1"),
      fence("b", "2"),
      "```python\norphan\n```",
      fence("c", "3"),
    ]);
    for (const row of found) {
      expect(row).to.deep.include({ type: "code_execution", metadata: { source: "gemini" } });
    }
  });

  it("records a search with its queries and sources, without the widget", () => {
    const supports = [{ startIndex: 0, endIndex: 4, text: "disk", groundingChunkIndices: [0, 1] }];
    expect(
      rows({ groundings: [{ ...GROUNDING, webSearchQueries: ["q1", "q2"], groundingSupports: supports }] }),
    ).to.deep.equal([
      {
        type: "google_search_result",
        content: "Google Search: 'q1', 'q2' → Sources: A (https://a.example), https://b.example",
        metadata: {
          source: "gemini",
          sources: SOURCES,
          supports: [{ start_index: 0, end_index: 4, text: "disk", grounding_chunk_indices: [0, 1] }],
          queries: ["q1", "q2"],
        },
      },
    ]);
  });

  it("records sources without a query as URL context, and nothing without sources", () => {
    expect(rows({ groundings: [GROUNDING] })).to.deep.equal([
      {
        type: "url_context_result",
        content: "URL Context → Sources: A (https://a.example), https://b.example",
        metadata: { source: "gemini", sources: SOURCES },
      },
    ]);
    expect(rows({ groundings: [{ ...GROUNDING, groundingChunks: [] }] })).to.deep.equal([]);
  });

  it("makes content and metadata Postgres-safe", () => {
    const found = rows({
      codeExecutions: [{ code: "\0", result: "\0" }],
      groundings: [
        {
          ...GROUNDING,
          webSearchQueries: ["\0"],
          groundingChunks: [{ uri: "\0", title: "\0" }],
          groundingSupports: [{ startIndex: 0, endIndex: 1, text: "\0", groundingChunkIndices: [] }],
        },
      ],
    });
    expect(JSON.stringify(found)).to.not.include(String.raw`\u0000`);
    expect(JSON.stringify(found)).to.include("\uFFFD");
  });
});
