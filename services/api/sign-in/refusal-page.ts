import { createHash } from "node:crypto";

const STYLE = "body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1rem}";
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** Nothing but its own style. */
export const REFUSAL_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`;

/** A page with one sentence, for people who are not signed in. */
export function refusalPage(message: string): string {
  const text = message.replaceAll(/[&<>"]/gu, (character) => `&#${character.codePointAt(0)};`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Not signed in – TARSy</title><style>${STYLE}</style>
<h1>Not signed in</h1><p>${text.charAt(0).toUpperCase()}${text.slice(1)}.</p><p><a href="/">Back to TARSy</a></p></html>
`;
}
