import { retryable } from "../errors/llm-error.ts";
import { isObject } from "#shared/exact-json.ts";
import { parseJsonObject } from "../parse-json.ts";

/** One piece of a streamed tool call, as the provider sent it; undefined or empty where it says nothing. */
interface CallPiece {
  /** The provider's number of the call. */
  readonly index?: number | string | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** A piece of the arguments' text. */
  readonly args?: string | undefined;
  /** A member beside the standard ones that goes back with the call. */
  readonly extra?: string | undefined;
}

/** A call so far. */
export interface AssembledCall {
  index: number | string | undefined;
  id: string | undefined;
  name: string;
  args: string;
  extra: string | undefined;
}

/** Counted in code units, of all calls of an answer; real arguments are nowhere near this long. */
const MAX_ARGS_LENGTH = 8 * 1024 * 1024;

/**
 * Puts the calls of one answer together from their pieces, for every API that streams pieces. Another index is another call, even
 * with the same id, and so is another id, or another name, at the same index. A piece without an index belongs to the call of its id;
 * without an id, its name begins a call, and a piece without a name continues the last one. `add` throws RetryableError
 * `provider_error` if the arguments have no end.
 */
export class CallAssembler {
  readonly calls: AssembledCall[] = [];
  #length = 0;
  /** A member that came before its call. */
  #extra: string | undefined;

  /** Takes a piece; returns its call, undefined for the arguments of a call that was not announced: it runs at the provider. */
  add({ index, id = "", name = "", args = "", extra }: CallPiece): AssembledCall | undefined {
    const piece = { index, id, name, args };
    const known = this.#find(piece);
    if (known === undefined && id === "" && name === "") {
      this.#extra = extra ?? this.#extra;
      return undefined;
    }
    const call = known ?? this.#open(piece);
    if (call.name === "") call.name = name;
    call.id ??= id === "" ? undefined : id;
    call.args += args;
    call.extra = extra ?? call.extra;
    this.#length += args.length;
    if (this.#length > MAX_ARGS_LENGTH) {
      throw retryable("provider_error", "the arguments of the model's tool calls have no end");
    }
    return call;
  }

  #open({ index, id }: Pick<CallPiece, "index" | "id">): AssembledCall {
    const call = { index, id: id === "" ? undefined : id, name: "", args: "", extra: this.#extra };
    this.#extra = undefined;
    this.calls.push(call);
    return call;
  }

  #find(piece: CallTexts): AssembledCall | undefined {
    const { index, id, name } = piece;
    const atIndex = index === undefined ? undefined : this.calls.findLast((call) => call.index === index);
    if (atIndex !== undefined) return beginsAnother(atIndex, piece) ? undefined : atIndex;
    const ofId = id === "" ? undefined : this.calls.findLast((call) => call.id === id);
    // A number that grows with each piece: a call has a name.
    if (index !== undefined) return name === "" ? ofId : undefined;
    const call = ofId ?? (name === "" || id === "" ? this.calls.at(-1) : undefined);
    return call !== undefined && beginsAnother(call, piece) ? undefined : call;
  }
}

type CallTexts = { readonly [Key in "id" | "name" | "args"]: string } & Pick<CallPiece, "index">;

/**
 * True if a piece that could continue a call begins another one. Some servers send a new id with each piece of a call, and others
 * repeat its name, so an id counts only with a name, and a name that is the same only after complete arguments.
 */
function beginsAnother(call: AssembledCall, { id, name, args }: CallTexts): boolean {
  if (name === "" || call.name === "") return false;
  const isSameId = id !== "" && id === call.id;
  if (id !== "" && call.id !== undefined && !isSameId) return true;
  if (name !== call.name) return true;
  return !isSameId && args !== call.args && isFilled(call.args);
}

/** True for a whole JSON object with members. */
function isFilled(args: string): boolean {
  const value = parseJsonObject(args);
  return isObject(value) && Object.keys(value).length > 0;
}
