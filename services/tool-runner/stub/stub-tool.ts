import { open } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { fitArguments } from "#shared/tool-arguments/fit-arguments.ts";
import { parseArguments } from "#shared/tool-arguments/parse-arguments.ts";
import type { CallIdentity, Tool, ToolOutput } from "../tool.ts";
import type { ArgumentsTextCheck } from "#shared/agent-config/stub-tools/check-arguments.ts";
import type { StubResult } from "#shared/agent-config/stub-tools/stub-tools-file.ts";

/** A tool as in `stub-tools.yaml`. */
interface StubToolOptions {
  readonly description: ToolDescription;
  /** Undefined if any arguments are accepted. */
  readonly checkArguments: ArgumentsTextCheck | undefined;
  readonly results: readonly StubResult[];
  readonly callLog: string | undefined;
}

const BLOCK = "x".repeat(64 * 1024);

/** Creates a tool that returns the first result that applies to a call, or else a text with the call's arguments. */
export function stubTool({ description, checkArguments, results, callLog }: StubToolOptions): Tool {
  return {
    description,
    call: async (written, signal, identity) => {
      await identity.beforeSend();
      const args = checkArguments?.(written) === undefined ? written : fitted(written, description);
      if (callLog !== undefined) await appendCall(callLog, { name: description.name, args, identity });
      const problem = checkArguments?.(args);
      if (problem !== undefined) return { isError: true, content: [problem] };
      const result = results.find((candidate) => applies(candidate, args)) ?? {};
      await wait(parseDuration(result.delay ?? "0") ?? 0, undefined, { signal });
      return produce(result, `[stub] Tool "${description.name}" called with args: ${args}`, signal);
    },
  };
}

/** Arguments as a server's tool would get them. */
function fitted(written: string, { parameters_schema: schema }: ToolDescription): string {
  const args = parseArguments(written);
  return typeof args === "string" ? written : JSON.stringify(fitArguments(args, JSON.parse(schema)));
}

async function produce(result: StubResult, fallback: string, signal: AbortSignal): Promise<ToolOutput> {
  const { text, error, exception, bytes, base64, hang } = result;
  if (hang === true) await untilAborted(Promise.withResolvers<never>().promise, signal);
  if (exception !== undefined) throw new Error(exception);
  if (error !== undefined) return { isError: true, content: [error] };
  if (bytes !== undefined) return { isError: false, content: blocks(bytes) };
  if (base64 !== undefined) return { isError: false, content: [Buffer.from(base64, "base64")] };
  return { isError: false, content: [text ?? fallback] };
}

/** Yields `bytes` bytes with only one block in memory. */
function* blocks(bytes: number): Iterable<string> {
  for (let left = bytes; left > 0; left -= BLOCK.length) yield BLOCK.slice(0, left);
}

function applies({ arguments: wanted }: StubResult, args: string): boolean {
  if (wanted === undefined) return true;
  let given: unknown;
  try {
    given = JSON.parse(args);
  } catch {
    return false; // not JSON: no named arguments
  }
  return Object.entries(wanted).every(([name, value]) => textOf(given, name) === value);
}

function textOf(given: unknown, name: string): string | undefined {
  if (typeof given !== "object" || given === null || !Object.hasOwn(given, name)) return undefined;
  const value: unknown = Reflect.get(given, name);
  return typeof value === "string" ? value : JSON.stringify(value);
}

interface StartedCall {
  readonly name: string;
  readonly args: string;
  readonly identity: CallIdentity;
}

async function appendCall(file: string, { name, args, identity }: StartedCall): Promise<void> {
  await using handle = await open(file, "a");
  const { callId: call_id, epoch } = identity;
  const time = new Date().toISOString();
  const line = { call_id, epoch, name, arguments: args, pid: process.pid, time };
  await handle.appendFile(`${JSON.stringify(line)}\n`);
  await handle.sync();
}
