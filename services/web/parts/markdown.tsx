import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { shownText } from "../session/shown-text.ts";
import "./markdown.css";

type ShowMarkdown = (element: HTMLElement, source: string) => void;

const loaded = signal<ShowMarkdown | undefined>(undefined);
let loading: Promise<void> | undefined;

/** Loads what shows Markdown, a third of the size of the first screen; called ahead by screens that will need it. */
export function loadMarkdown(): void {
  loading ??= load();
}

async function load(): Promise<void> {
  try {
    const { showMarkdown } = await import("./show-markdown.ts");
    loaded.value = showMarkdown;
  } catch {
    // Without it the text is shown as it was written; the next text tries again.
    loading = undefined;
  }
}

interface MarkdownProps {
  readonly source: string;
  /** Makes links of some words, in the element of the text; without it there are none but those of the text. */
  readonly link?: ((place: HTMLElement) => void) | undefined;
}

/** Text of a model or a tool, written in Markdown; letter by letter until what shows it is loaded. */
export function Markdown({ source, link }: MarkdownProps) {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<readonly unknown[]>([]);
  const show = loaded.value;
  loadMarkdown();
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    // Links come later than the text, which stays as it is then: the reader may have selected a part of it.
    const isShown =
      shown.current[0] === source && shown.current[1] === show && shown.current[2] === undefined;
    shown.current = [source, show, link];
    if (!isShown && show === undefined) current.textContent = shownText(source);
    if (!isShown) show?.(current, source);
    link?.(current);
  }, [source, show, link]);
  return <div class={`markdown ${show === undefined ? "plain" : ""}`} ref={place} />;
}
