import { Composer, Lexer, Parser, isScalar, visit, type Document, type Node, type YAMLWarning } from "yaml";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import type { ExpandedText } from "#shared/agent-config/expanded-text.ts";
import { resolveAliases, type AliasTargets } from "#shared/agent-config/resolve-aliases.ts";

/**
 * The parser's time grows with tokens, not bytes (a megabyte of commas takes it twelve seconds); no real
 * configuration comes near this many.
 */
const MAX_TOKENS = 50_000;

/** A file's YAML with every alias resolved. `root` is null for an empty file. */
export interface ParsedYaml {
  readonly root: Node | null;
  readonly aliases: AliasTargets;
}

class TooManyTokens extends Error {}

/** Reads the YAML of an expanded file, or reports what is wrong with it and returns undefined. */
export function parseYaml(
  text: ExpandedText,
  report: (problem: ConfigProblem) => void,
): ParsedYaml | undefined {
  const refuse = (message: string, offset = 0) => {
    report({ severity: "error", ...text.placeOf(offset), path: "", message });
    return undefined;
  };
  try {
    const documents = composeDocuments(text.text);
    const [document, second] = documents;
    if (document === undefined) return { root: null, aliases: new Map() };
    if (second !== undefined) {
      return refuse("holds more than one YAML document; merge them into one", second.range[0]);
    }
    if (document.errors.length > 0) return reportSyntax(document, text, report);
    for (const warning of document.warnings) {
      const place = text.placeOf(warning.pos[0]);
      const message = describeWarning(warning, text.insertionsOnLine(place.line).variables);
      report({ severity: "warning", ...place, path: "", message });
    }
    const aliases = resolveAliases(document.contents, refuse);
    return aliases === undefined ? undefined : { root: document.contents, aliases };
  } catch (error) {
    if (error instanceof TooManyTokens) {
      return refuse(`has more than ${MAX_TOKENS} YAML tokens; a configuration needs far fewer`);
    }
    if (error instanceof RangeError) return refuse("is nested too deeply");
    throw error;
  }
}

function composeDocuments(text: string): Document.Parsed[] {
  // Duplicate keys are found later, in linear time and with both places; here it would be quadratic.
  const composer = new Composer({ merge: true, uniqueKeys: false, prettyErrors: false });
  return [...composer.compose(boundedTokens(text), false, text.length)];
}

function* boundedTokens(text: string) {
  const parser = new Parser();
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > MAX_TOKENS) throw new TooManyTokens();
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** The first error of each line: the parser's further ones on it are echoes. */
function reportSyntax(
  document: Document.Parsed,
  text: ExpandedText,
  report: (problem: ConfigProblem) => void,
): undefined {
  const lines = new Set<number>();
  for (const error of document.errors.slice(0, 1000)) {
    if (error.message.includes("call stack")) {
      report({ severity: "error", ...text.placeOf(0), path: "", message: "is nested too deeply" });
      return;
    }
  }
  for (const error of document.errors.slice(0, 1000)) {
    const opened = error.code === "MISSING_CHAR" ? openingQuote(document, error.pos[0]) : undefined;
    const place = text.placeOf(opened ?? error.pos[0]);
    // Where a template was not understood, that is the mistake.
    if (lines.has(place.line) || text.insertionsOnLine(place.line).broken) continue;
    lines.add(place.line);
    report({
      severity: "error",
      ...place,
      path: "",
      message: describeSyntax(error.message, place.line, text),
    });
  }
}

/** The parser quotes the text it stumbles over; where a variable was inserted that may be a secret. */
function describeSyntax(message: string, line: number, text: ExpandedText): string {
  const { variables } = text.insertionsOnLine(line);
  if (variables.length === 0) return `invalid YAML syntax: ${message}`;
  return `invalid YAML syntax once ${variables.join(", ")} is inserted; quote the value or change it`;
}

/** Says what the parser found odd but read; as above without its words where a secret may be among them. */
function describeWarning({ code, message }: YAMLWarning, variables: readonly string[]): string {
  if (code !== "TAG_RESOLVE_FAILED") {
    return variables.length === 0
      ? `is unusual YAML: ${message}`
      : `is unusual YAML once ${variables.join(", ")} is inserted; quote the value or change it`;
  }
  const tag = variables.length === 0 ? ` ${message.slice(message.indexOf(": ") + 2)}` : "";
  return `has a YAML tag${tag} that means nothing here and is ignored; remove it, or quote the value if it belongs to the text`;
}

/** Where the quoted text starts whose end is missing: the parser names only the end of the file. */
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
