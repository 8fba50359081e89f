import type { TerminalError } from "#shared/errors.ts";
import { parseJson } from "../parse-json.ts";
import { terminal } from "./llm-error.ts";

/** The type that the gateway gives to an error whose body is a web page. */
export const WEB_PAGE = "web_page";

/** Counted in code units; a title comes before. */
const MAX_LENGTH = 16 * 1024;
const MAX_TITLE_LENGTH = 200;
const TITLE = /<title[^>]{0,200}>(?<title>[^<]{0,1000})/iu;

/** True if a body that begins with this text is a web page or other markup, as no API sends it. */
export function isWebPage(text: string): boolean {
  return text.trimStart().startsWith("<");
}

/** True if no more of a page needs to be read to describe it. */
export function isDescribable(page: string): boolean {
  return page.length >= MAX_LENGTH || /<\/title|<body/iu.test(page);
}

/** A page's own description: 'a web page with the title "Sign in"'. */
export function describeWebPage(page: string): string {
  const title =
    TITLE.exec(page.slice(0, MAX_LENGTH))?.groups?.["title"]?.replaceAll(/\s+/gu, " ").trim() ?? "";
  return title === "" ? "a web page" : `a web page with the title "${title.slice(0, MAX_TITLE_LENGTH)}"`;
}

/** The error of a call that was answered, with success, by a page: of a sign-in, a proxy or another service at this address. */
export function webPageError(page: string): TerminalError {
  return terminal(
    "invalid_request",
    `the server sent ${describeWebPage(page)} instead of an answer: check base_url, which for OpenAI's API usually ends in /v1, and whether a proxy asks for a sign-in`,
  );
}

/** An error in JSON for a body that is a text or a page, of which only the title is shown; undefined for JSON and for an empty body. */
export function plainError(text: string): string | undefined {
  if (text.trim() === "" || parseJson(text) !== undefined) return undefined;
  const isPage = isWebPage(text);
  const error = { type: isPage ? WEB_PAGE : "text", message: isPage ? describeWebPage(text) : text.trim() };
  return JSON.stringify({ error });
}
