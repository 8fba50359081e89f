/** Which sections the model's text has; recovered ones count. */
export interface FoundSections {
  thought: boolean;
  action: boolean;
  actionInput: boolean;
  finalAnswer: boolean;
}

/** What a model's ReAct text asks for: exactly one of `hasAction`, `isFinalAnswer` and `isMalformed` is true. */
export interface ParsedReact {
  readonly thought: string;
  readonly hasAction: boolean;
  /** The tool's name as `server.tool`, or what the model wrote in its place. */
  readonly action: string;
  /** The raw input, line breaks and indentation included, without a code fence around it. */
  readonly actionInput: string;
  readonly isFinalAnswer: boolean;
  readonly finalAnswer: string;
  /** The action is no `server.tool` name; whether a well-formed name exists is the caller's to know. */
  readonly isUnknownTool: boolean;
  readonly isMalformed: boolean;
  /** For the model: what is wrong with an unknown tool or a malformed text. */
  readonly errorMessage: string;
  readonly found: Readonly<FoundSections>;
}
