import { AsyncLocalStorage } from "node:async_hooks";
import { iterateIn } from "../iterate-in.ts";
import type { ProviderCall } from "../provider.ts";
import { ReasoningDetails } from "./response/reasoning-details.ts";

/** An error shows no more. */
const MAX_REFUSAL_LENGTH = 2_000;

/** What is heard of one answer beside what LangChain and the SDKs pass on. */
export class AnswerAside {
  /** When bytes of the response have last arrived, by performance.now(); comments and pings are bytes too. */
  heardAt = 0;
  /** The words with which the model refused to answer, cut to their first 2,000 code units or so; empty if it did not. */
  refusal = "";
  /** Why the provider behind a router ended the answer, in its own words. */
  nativeReason: string | undefined;
  /** The list of reasoning that goes back unchanged; empty where the server sends none. */
  readonly details = new ReasoningDetails();

  /** As in ProviderCall. */
  readonly answeredBy: ProviderCall["answeredBy"];

  constructor(answeredBy: ProviderCall["answeredBy"] = () => undefined) {
    this.answeredBy = answeredBy;
  }

  /** Takes more of the words of a refusal. */
  refuse(words: string): void {
    if (this.refusal.length < MAX_REFUSAL_LENGTH) this.refusal += words;
  }

  heard(): void {
    this.heardAt = performance.now();
  }
}

/** The SDKs stand between a call and its response, so that nothing can be passed along. */
const asides = new AsyncLocalStorage<AnswerAside>();

/** Iterates over an answer whose response is heard by `aside`. */
export function withAside<T>(aside: AnswerAside, open: () => AsyncIterable<T>): AsyncIterable<T> {
  return iterateIn(asides, aside, open);
}

/** The aside of the current answer. */
export function currentAside(): AnswerAside {
  return asides.getStore() ?? new AnswerAside();
}
