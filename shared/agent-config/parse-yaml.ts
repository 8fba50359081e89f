import { isScalar, parseDocument, visit, type Document, type YAMLError, type YAMLWarning } from "yaml";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import type { ExpandedText } from "#shared/agent-config/expand-templates.ts";

/** Parses the YAML of an expanded file, or reports what is wrong with it and returns undefined. */
export function parseYaml(
  text: ExpandedText,
  report: (problem: ConfigProblem) => void,
): Document.Parsed | undefined {
  // The shape reader reports duplicate keys: it knows their paths.
  const document = parseDocument(text.text, { merge: true, uniqueKeys: false, prettyErrors: false });
  for (const warning of document.warnings) {
    const position = text.positionOf(warning.pos[0]);
    const message = describeWarning(warning, text.insertedOnLine(position.line).variables);
    report({ severity: "warning", ...position, path: "", message });
  }
  if (document.errors.length === 0) return document;
  reportErrors(document, text, report);
  return undefined;
}

/** Reports the first error of each line: the parser's further ones on it follow from the first. */
function reportErrors(
  document: Document.Parsed,
  text: ExpandedText,
  report: (problem: ConfigProblem) => void,
): void {
  const lines = new Set<number>();
  for (const error of document.errors) {
    const [start] = error.pos;
    const opened = error.code === "MISSING_CHAR" ? openingQuote(document, start) : undefined;
    const position = text.positionOf(opened ?? start);
    const { variables, broken } = text.insertedOnLine(position.line);
    // An invalid template on the line has been reported and is the cause.
    if (broken || lines.has(position.line)) continue;
    lines.add(position.line);
    report({ severity: "error", ...position, path: "", message: describeError(error, variables) });
  }
}

/** The parser quotes the text around an error, which may be a secret where a variable was inserted. */
function describeError({ code, message }: YAMLError, variables: readonly string[]): string {
  if (code === "MULTIPLE_DOCS") return "holds more than one YAML document; merge them into one";
  if (variables.length === 0) return `invalid YAML syntax: ${message}`;
  return `invalid YAML syntax once ${variables.join(", ")} is inserted; quote the value or change it`;
}

/** As above, the parser's words are left out where they may contain a secret. */
function describeWarning({ code, message }: YAMLWarning, variables: readonly string[]): string {
  if (code !== "TAG_RESOLVE_FAILED") {
    return variables.length === 0
      ? `is unusual YAML: ${message}`
      : `is unusual YAML once ${variables.join(", ")} is inserted; quote the value or change it`;
  }
  const tag = variables.length === 0 ? ` ${message.slice(message.indexOf(": ") + 2)}` : "";
  return `has a YAML tag${tag} that means nothing here and is ignored; remove it, or quote the value if it belongs to the text`;
}

/** The start of the quoted text whose closing quote is missing: the parser names only the end of the file. */
function openingQuote(document: Document.Parsed, end: number): number | undefined {
  let start: number | undefined;
  visit(document, {
    Scalar(_key, node) {
      const quoted = isScalar(node) && (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE");
      if (quoted && node.range && node.range[0] <= end && node.range[2] >= end) start = node.range[0];
    },
  });
  return start;
}
