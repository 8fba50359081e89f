import type { GroundingDelta } from "#shared/generated/llm/v1/llm.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { WholeRow } from "../persist/timeline-writer.ts";
import type { LlmReply } from "./llm-reply.ts";

type Row = Omit<WholeRow, "interactionId">;

/** The timeline rows of the tools that the provider executed itself: code execution, web search, URL context. */
export function nativeToolRows({ codeExecutions, groundings }: LlmReply): Row[] {
  return [...pairCode(codeExecutions).map(codeRow), ...groundings.flatMap(groundingRow)].map((row) => ({
    ...row,
    content: postgresSafeText(row.content).text,
  }));
}

interface CodeExecution {
  code: string;
  result: string;
}

/** Merges code with its result, which may arrive in a later chunk. */
function pairCode(chunks: readonly CodeExecution[]): CodeExecution[] {
  const pairs: CodeExecution[] = [];
  for (const { code, result } of chunks) {
    const last = pairs.at(-1);
    if (code === "" && last?.result === "") last.result = result;
    else pairs.push({ code, result });
  }
  return pairs;
}

function codeRow({ code, result }: CodeExecution): Row {
  const blocks = [
    ...(code === "" ? [] : [`\`\`\`python\n${code}\n\`\`\``]),
    ...(result === "" ? [] : [`Output:\n\`\`\`\n${result}\n\`\`\``]),
  ];
  return { type: "code_execution", content: blocks.join("\n\n"), metadata: { source: "gemini" } };
}

function groundingRow(grounding: GroundingDelta): Row[] {
  const { webSearchQueries, groundingChunks, groundingSupports } = grounding;
  if (groundingChunks.length === 0) return [];
  const sources = groundingChunks.map(({ uri, title }) => ({
    uri: postgresSafeText(uri).text,
    title: postgresSafeText(title).text,
  }));
  const queries = webSearchQueries.map((query) => postgresSafeText(query).text);
  const list = sources.map(({ uri, title }) => (title === "" ? uri : `${title} (${uri})`)).join(", ");
  const supports = groundingSupports.map((support) => ({
    start_index: support.startIndex,
    end_index: support.endIndex,
    text: postgresSafeText(support.text).text,
    grounding_chunk_indices: support.groundingChunkIndices,
  }));
  const metadata = { source: "gemini", sources, ...(supports.length === 0 ? {} : { supports }) };
  if (queries.length === 0) {
    return [{ type: "url_context_result", content: `URL Context → Sources: ${list}`, metadata }];
  }
  const quoted = queries.map((query) => `'${query}'`).join(", ");
  return [
    {
      type: "google_search_result",
      content: `Google Search: ${quoted} → Sources: ${list}`,
      metadata: { ...metadata, queries },
    },
  ];
}
