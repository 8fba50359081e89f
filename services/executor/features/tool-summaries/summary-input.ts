import type { PendingSummary } from "#shared/contracts/iteration-state.ts";
import type { ResolvedProvider, ResolvedSummaries } from "#shared/contracts/resolved-chain.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import { buildToolSummaryMessages } from "../../prompts/build-tool-summary-messages.ts";
import type { NewMessage } from "../../prompts/prompt-input.ts";
import { CHARS_PER_TOKEN } from "#shared/contracts/chars-per-token.ts";
import { toolNames } from "../../tools/record-tool-call.ts";
import { conversationText } from "./conversation-text.ts";
import { readKeptText } from "./read-kept-text.ts";

/** Of the text that is summarized. */
const MAX_TEXT_TOKENS = 100_000;
/** Of that, the part that the conversation may have beside it. */
const CONVERSATION = 0.25;

/** The input of a call for a summary. */
export interface SummaryInput {
  /** With placeholders for variables. */
  readonly messages: readonly NewMessage[];
  /** The same without the result's text, which is kept elsewhere: for the record of the call. */
  readonly recorded: readonly NewMessage[];
  /** The limit that the summary is cut at, in tokens. */
  readonly maxTokens: number;
}

/** Reads the text of a large result and builds the messages that request its summary; null if it is kept no more. */
export async function summaryInput(
  { session, state }: ExecutionRun,
  {
    result,
    settings,
    provider,
  }: {
    readonly result: PendingSummary;
    readonly settings: ResolvedSummaries;
    readonly provider: ResolvedProvider;
  },
): Promise<SummaryInput | null> {
  const textTokens = Math.min(MAX_TEXT_TOKENS, provider.max_tool_result_tokens);
  const output = await readKeptText(session, result.handle, textTokens * CHARS_PER_TOKEN);
  if (output === null) return null;
  const before = state.messages.filter(({ sequence_number }) => sequence_number < result.message);
  const { server_name: server, tool_name: tool } = toolNames(result.name);
  const maxTokens = Math.min(settings.max_tokens, state.agent.llm_provider.max_tool_result_tokens);
  const input = {
    server,
    tool,
    maxTokens,
    conversation: conversationText(before, textTokens * CONVERSATION * CHARS_PER_TOKEN),
    nonce: state.alert.nonce,
  };
  return {
    messages: buildToolSummaryMessages({ ...input, output }),
    recorded: buildToolSummaryMessages({
      ...input,
      output: `[${output.length} characters of the result that is kept under the id ${result.handle}]`,
    }),
    maxTokens,
  };
}
