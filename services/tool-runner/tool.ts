import type { ToolDescription } from "#shared/contracts/tool-list.ts";

/** What a tool gave back, as it comes: text, or bytes that should be UTF-8. */
export interface ToolOutput {
  /** The tool itself reports failure, and the content says what. */
  readonly isError: boolean;
  readonly content: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
}

/** Which call it is, and under which lease it was claimed. */
export interface CallIdentity {
  readonly callId: string;
  readonly epoch: number;
}

/** Something that can be called, wherever it lives. */
export interface Tool {
  readonly description: ToolDescription;
  /** Runs the tool on the arguments' text; throws if it cannot be run. Ends soon after the signal has aborted. */
  call(args: string, signal: AbortSignal, identity: CallIdentity): Promise<ToolOutput>;
}

/** The tools this runner can call, by "server.tool". */
export type ToolCatalogue = ReadonlyMap<string, Tool>;
