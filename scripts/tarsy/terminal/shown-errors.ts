/** The timeline's report of a failed call of a model. */
const LLM_ERROR = /^LLM error: (?<message>.*) \(code: [^,]*, retryable: (?:true|false)\)$/su;
const AGAIN = "the same error again";

/** The errors that a timeline has shown: none is shown in full twice. */
export class ShownErrors {
  readonly #messages: string[] = [];
  readonly #contents = new Set<string>();

  /** The text to show of an error event, without the members that only programs read. */
  show(content: string): string {
    if (this.#contents.has(content)) return AGAIN;
    this.#contents.add(content);
    const message = LLM_ERROR.exec(content)?.groups?.["message"];
    this.#messages.push(message ?? content);
    return message === undefined ? content : `LLM error: ${message}`;
  }

  /** The text to show of the reason of a failure: without the text that was shown before, and undefined if nothing is left. */
  rest(reason: string): string | undefined {
    const shown = this.#messages.filter((message) => message !== "" && reason.includes(message));
    const longest = shown.reduce((left, right) => (right.length > left.length ? right : left), "");
    if (longest === "") return reason;
    return reason === longest ? undefined : reason.replace(longest, () => "see above");
  }
}
