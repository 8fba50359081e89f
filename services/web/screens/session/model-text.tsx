import { Markdown } from "../../parts/markdown.tsx";
import { shownText } from "../../session/shown-text.ts";
import { ResultView } from "./result-view.tsx";

interface ModelTextProps {
  readonly text: string;
  readonly isMarkdown: boolean;
  readonly label: string;
  /** Makes links of the words that name an entry, in the element of the text. */
  readonly link?: ((place: HTMLElement) => void) | undefined;
}

/** As much as a browser lays out at once without a pause. */
const MAX_UNITS = 128 * 1024;

/** What a model wrote; a text of more than 128 Ki code units in pages. */
export function ModelText({ text, isMarkdown, label, link }: ModelTextProps) {
  if (text.length > MAX_UNITS) return <ResultView text={text} label={label} />;
  if (isMarkdown) return <Markdown source={text} link={link} />;
  return <p class="plain-text">{shownText(text)}</p>;
}
