/** The labels of an alert. */
export type Labels = Readonly<Record<string, string>>;

const MATCHER =
  /^\s*(?<label>[^\s=!~"]+)\s*(?<operator>=~|!~|!=|=)\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<bare>[^"\s]*))\s*$/u;

/**
 * Compiles a matcher as Alertmanager writes it: `severity="critical"`, `team=~"db|cache"`, `!=`, `!~`. An expression matches the
 * whole value; a label that is missing is empty. Returns a sentence fragment if the text is no matcher.
 */
export function compileMatcher(text: string): ((labels: Labels) => boolean) | string {
  const { label, operator, quoted, bare } = MATCHER.exec(text)?.groups ?? {};
  if (label === undefined || operator === undefined) {
    return 'must be a matcher such as severity="critical" or team=~"db|cache"';
  }
  const value =
    quoted === undefined ? (bare ?? "") : quoted.replaceAll(/\\(?<escaped>["\\])/gu, "$<escaped>");
  const valueOf = (labels: Labels) => (Object.hasOwn(labels, label) ? (labels[label] ?? "") : "");
  if (operator === "=") return (labels) => valueOf(labels) === value;
  if (operator === "!=") return (labels) => valueOf(labels) !== value;
  try {
    const expression = new RegExp(`^(?:${value})$`, "su");
    return operator === "=~"
      ? (labels) => expression.test(valueOf(labels))
      : (labels) => !expression.test(valueOf(labels));
  } catch {
    return "must have a regular expression that can be compiled";
  }
}
