import { retryable } from "../../../errors/llm-error.ts";
import { isObject } from "#shared/exact-json.ts";
import type { GeminiFunctionCall, GeminiPartialArg } from "./gemini-chunk.ts";

/** A function call with all its arguments. */
export interface WholeCall {
  readonly name: string;
  /** Gemini's id, if it gave one. */
  readonly id: string | undefined;
  readonly args: Record<string, unknown>;
  readonly signature: string | undefined;
}

type Container = Record<string, unknown> | unknown[];

/** Real arguments are not nested this deep. */
const MAX_DEPTH = 100;
const STEP = /\.(?<plain>[^.[\]]+)|\[(?<index>\d{1,6})\]|\[(?:'(?<single>[^']*)'|"(?<double>[^"]*)")\]/gu;

/**
 * Joins function calls whose arguments come in pieces. A part with a name starts a call, parts without a name add
 * values at JSON paths, and the first part without `willContinue` completes the call. The gateway does not request
 * pieces, but some models and proxies send them anyway.
 */
export class CallJoiner {
  #open: WholeCall | undefined;

  /** True while a call is incomplete. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /**
   * Takes one part; returns the call if it completes one. Throws RetryableError `provider_error` for a part that does
   * not fit.
   */
  add(part: GeminiFunctionCall, signature: string | undefined): WholeCall | undefined {
    const call = this.#callOf(part, signature);
    for (const piece of part.partialArgs ?? []) addPiece(call.args, piece);
    this.#open = part.willContinue === true ? call : undefined;
    return part.willContinue === true ? undefined : call;
  }

  #callOf({ name, id, args }: GeminiFunctionCall, signature: string | undefined): WholeCall {
    const open = this.#open;
    if (name === undefined) {
      if (open === undefined) throw misfit("a function call without a name");
      return { ...open, args: { ...open.args, ...args }, signature: open.signature ?? signature };
    }
    if (open !== undefined) throw misfit(`function call ${name} inside ${open.name}`);
    return { name, id, args: { ...args }, signature };
  }
}

function addPiece(args: Record<string, unknown>, piece: GeminiPartialArg): void {
  const path = parsePath(piece.jsonPath);
  const last = path.pop();
  if (last === undefined) throw misfit(`an argument at "${piece.jsonPath}"`);
  let container: Container = args;
  for (const [index, key] of path.entries()) {
    const next: unknown = read(container, key);
    const following = path[index + 1] ?? last;
    container =
      isObject(next) || Array.isArray(next)
        ? next
        : write(container, key, typeof following === "number" ? [] : {});
  }
  const before = read(container, last);
  const { stringValue, numberValue, boolValue } = piece;
  if (stringValue !== undefined) {
    write(container, last, typeof before === "string" ? before + stringValue : stringValue);
  } else {
    write(container, last, numberValue ?? boolValue ?? null);
  }
}

function parsePath(path: string): (string | number)[] {
  const keys: (string | number)[] = [];
  let end = 1;
  for (const { index, 0: text, groups } of path.matchAll(STEP)) {
    if (index !== end) break;
    end += text.length;
    keys.push(
      groups?.["index"] === undefined
        ? (groups?.["plain"] ?? groups?.["single"] ?? groups?.["double"] ?? "")
        : Number(groups["index"]),
    );
  }
  if (!path.startsWith("$") || end !== path.length || keys.length > MAX_DEPTH || keys.includes("__proto__")) {
    throw misfit(`an argument at "${path.slice(0, 100)}"`);
  }
  return keys;
}

function read(container: Container, key: string | number): unknown {
  if (Array.isArray(container)) return typeof key === "number" ? container[key] : undefined;
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

function write<T>(container: Container, key: string | number, value: T): T {
  if (!Array.isArray(container)) container[key] = value;
  else if (typeof key === "number" && key <= container.length) container[key] = value;
  else throw misfit(`an argument at [${key}] of a list of ${container.length}`);
  return value;
}

function misfit(what: string): Error {
  return retryable("provider_error", `the provider sent ${what}, which fits no function call`);
}
