import type { ToolDescription } from "#shared/contracts/tool-list.ts";

/** A tool's output as a stream of text, or of bytes that should be UTF-8. */
export interface ToolOutput {
  /** The tool itself reports a failure, which the content describes. */
  readonly isError: boolean;
  readonly content: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
}

/** A call's id, and the lease epoch under which it was claimed. */
export interface CallIdentity {
  readonly callId: string;
  readonly epoch: number;
}

/** A tool that this runner can call. */
export interface Tool {
  readonly description: ToolDescription;
  /** Runs the tool with the arguments' text. Throws if it cannot be run; must end soon after `signal` aborts. */
  call(args: string, signal: AbortSignal, identity: CallIdentity): Promise<ToolOutput>;
}

/** The tools this runner can call, by "server.tool". */
export type ToolCatalogue = ReadonlyMap<string, Tool>;
