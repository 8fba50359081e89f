import type { ProgressReport } from "./call-progress.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";

/** A tool's output as a stream of text, or of bytes that should be UTF-8. */
export interface ToolOutput {
  /** The tool itself reports a failure, which the content describes. */
  readonly isError: boolean;
  readonly content: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
  /** The offsets in the content at which newlines join parts that may have split a value. */
  readonly seams?: readonly number[];
}

/** A call's id, the execution it is made for, and the lease epoch under which it was claimed. */
export interface CallIdentity {
  readonly executionId: string;
  readonly callId: string;
  readonly epoch: number;
}

/** A call that a tool is about to make. */
interface ToolCallContext extends CallIdentity {
  /** The call may be made again although it may have taken effect. */
  readonly isRepeatable: boolean;
  /** Await it before the first byte of the call goes out, or before a tool in this process runs. If it throws, nothing may go out. */
  readonly beforeSend: () => Promise<void>;
  readonly onProgress?: (progress: ProgressReport) => void;
  /** Gets the memory of a large output, to give it back once the output is read. */
  readonly holdMemory?: (memory: Disposable) => void;
}

/** A tool that this runner can call. */
export interface Tool {
  readonly description: ToolDescription;
  /** Runs the tool with the arguments' text. Throws if it cannot be run; must end soon after `signal` aborts. */
  call(args: string, signal: AbortSignal, context: ToolCallContext): Promise<ToolOutput>;
}

/** The tools this runner can call, by "server.tool". */
export type ToolCatalogue = ReadonlyMap<string, Tool>;

/** True if `stub-tools.yaml` has tools of the server. */
export function hasStubs(stubs: ToolCatalogue, server: string | undefined): boolean {
  return [...stubs.values()].some(({ description }) => description.server === server);
}
