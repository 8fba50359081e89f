import { Lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { shownText } from "../session/shown-text.ts";
import { withoutReferences } from "./character-references.ts";
import { LimitedTokenizer } from "./limited-tokenizer.ts";

/** What Markdown may become: no image, style, form, drawing or frame, and no element has an id. */
interface MarkdownElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly MarkdownNode[];
}

export type MarkdownNode = string | MarkdownElement;

/** The page's own headings are above those of a text. */
const HEADING_OFFSET = 3;
const LAST_HEADING = 6;
/** As much as a browser lays out without a pause. */
const MAX_ELEMENTS = 10_000;
/** Each quote or list in another one is narrower than that. */
const MAX_DEPTH = 50;
const WEB = /^https?:\/\//iu;

/**
 * Markdown as elements and texts. HTML and images are shown as they were written: an instruction to load something is what
 * a reader should see, not a gap. Throws RangeError for a text that would stop the page for seconds. `now` returns milliseconds.
 */
export function markdownTree(source: string, now = () => performance.now()): readonly MarkdownNode[] {
  const lexer = new Lexer({ gfm: true, tokenizer: new LimitedTokenizer(now) });
  const nodes = nodesOf(inOrder(lexer.lex(shownText(source))));
  if (countElements(nodes, 0) > MAX_ELEMENTS) throw new RangeError("the text has too many parts");
  return nodes;
}

/** Headings without gaps: what follows one of the page's own is the first level, whatever a text begins with. */
function inOrder(tokens: readonly Token[]): readonly Token[] {
  const isHeading = (token: Token): token is Tokens.Heading => token.type === "heading";
  const depths = [...new Set(tokens.filter(isHeading).map(({ depth }) => depth))].toSorted((a, b) => a - b);
  let last = 0;
  return tokens.map((token) => {
    if (!isHeading(token)) return token;
    last = Math.min(depths.indexOf(token.depth) + 1, last + 1);
    return { ...token, depth: last };
  });
}

function countElements(nodes: readonly MarkdownNode[], depth: number): number {
  if (depth > MAX_DEPTH) throw new RangeError("the text is nested too deeply");
  let count = 0;
  for (const node of nodes) {
    if (typeof node !== "string") count += 1 + countElements(node.children, depth + 1);
  }
  return count;
}

function nodesOf(tokens: readonly Token[]): readonly MarkdownNode[] {
  return tokens.flatMap((token) => (isKnown(token) ? nodeOf(token) : [token.raw]));
}

/** The tokens of extensions, of which there are none, can have any other type. */
function isKnown(token: Token): token is MarkedToken {
  return KNOWN.has(token.type);
}

const KNOWN: ReadonlySet<string> = new Set<MarkedToken["type"]>([
  "blockquote",
  "br",
  "checkbox",
  "code",
  "codespan",
  "def",
  "del",
  "em",
  "escape",
  "heading",
  "hr",
  "html",
  "image",
  "link",
  "list",
  "list_item",
  "paragraph",
  "space",
  "strong",
  "table",
  "text",
]);

function nodeOf(token: MarkedToken): readonly MarkdownNode[] {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "html":
      return [token.text];
    case "image":
      return [token.raw];
    case "text":
    case "escape":
      return "tokens" in token && token.tokens !== undefined
        ? nodesOf(token.tokens)
        : [shownText(withoutReferences(token.text))];
    case "checkbox":
      // A box would be a form field.
      return [token.checked ? "☑ " : "☐ "];
    default:
      return [elementOf(token)];
  }
}

type TextToken = Extract<
  MarkedToken,
  { type: "space" | "def" | "html" | "image" | "text" | "escape" | "checkbox" }
>;

function elementOf(token: Exclude<MarkedToken, TextToken>): MarkdownElement {
  switch (token.type) {
    case "br":
    case "hr":
      return element(token.type, []);
    case "code":
      return element("pre", [element("code", [`${token.text.replace(/\n$/u, "")}\n`])]);
    case "codespan":
      return element("code", [token.text]);
    case "heading":
      return element(`h${Math.min(LAST_HEADING, token.depth + HEADING_OFFSET)}`, nodesOf(token.tokens));
    case "paragraph":
      return element("p", nodesOf(token.tokens));
    case "list_item":
      return element("li", nodesOf(token.tokens));
    case "list":
      return listOf(token);
    case "table":
      return tableOf(token);
    case "link":
      return linkOf(token);
    default:
      return element(token.type, nodesOf(token.tokens));
  }
}

function element(
  tag: string,
  children: readonly MarkdownNode[],
  attributes: Readonly<Record<string, string>> = {},
): MarkdownElement {
  return { tag, attributes, children };
}

function listOf({ ordered, start, items }: Tokens.List): MarkdownElement {
  const isNumbered = ordered && start !== "" && start !== 1;
  return element(ordered ? "ol" : "ul", nodesOf(items), isNumbered ? { start: String(start) } : {});
}

function tableOf({ header, rows }: Tokens.Table): MarkdownElement {
  const rowOf = (cells: readonly Tokens.TableCell[], tag: string) =>
    element(
      "tr",
      cells.map(({ tokens, align }) => element(tag, nodesOf(tokens), align === null ? {} : { align })),
    );
  const body = rows.map((cells) => rowOf(cells, "td"));
  return element("table", [
    element("thead", [rowOf(header, "th")]),
    ...(body.length === 0 ? [] : [element("tbody", body)]),
  ]);
}

/** A link to the web tells where it leads, because a text may claim another target; any other leads nowhere. */
function linkOf({ href, tokens, autolink, text }: Tokens.Link): MarkdownElement {
  const children = autolink === true ? [text] : nodesOf(tokens);
  const target = autolink === true ? href : withoutReferences(href);
  if (!WEB.test(target)) return element("a", children);
  const host = URL.parse(target)?.host ?? target;
  return element("a", children, {
    href: target,
    rel: "noopener noreferrer",
    target: "_blank",
    title: shownText(target),
    ...(textOf(children).includes(host) ? {} : { "data-host": host }),
  });
}

function textOf(nodes: readonly MarkdownNode[]): string {
  return nodes.map((node) => (typeof node === "string" ? node : textOf(node.children))).join("");
}
