import { shownText } from "../session/shown-text.ts";
import { markdownTree, type MarkdownNode } from "./markdown-tree.ts";

/** Laying out Markdown takes long for megabytes, and for a line of that length. */
const MAX_UNITS = 128 * 1024;

/** Shows Markdown of a model or a tool in an element; a text that is too large or too costly for that as it was written. */
export function showMarkdown(element: HTMLElement, source: string): void {
  const nodes = source.length > MAX_UNITS ? undefined : treeOf(source);
  element.classList.toggle("plain", nodes === undefined);
  if (nodes === undefined) element.textContent = shownText(source);
  else element.replaceChildren(...nodes.map(domOf));
}

function treeOf(source: string): readonly MarkdownNode[] | undefined {
  try {
    return markdownTree(source);
  } catch {
    // Beyond a limit, or a mistake of the parser.
    return undefined;
  }
}

function domOf(node: MarkdownNode): Node {
  if (typeof node === "string") return document.createTextNode(node);
  const element = document.createElement(node.tag);
  for (const [name, value] of Object.entries(node.attributes)) element.setAttribute(name, value);
  // It scrolls sideways where there is no room.
  if (node.tag === "table") element.tabIndex = 0;
  element.append(...node.children.map(domOf));
  return element;
}
