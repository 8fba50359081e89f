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

/** Text of a model or a tool, written in Markdown; letter by letter until what shows it is loaded. */
export function Markdown({ source }: { readonly source: string }) {
  const place = useRef<HTMLDivElement>(null);
  const show = loaded.value;
  loadMarkdown();
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    if (show === undefined) current.textContent = shownText(source);
    else show(current, source);
  }, [source, show]);
  return <div class={`markdown ${show === undefined ? "plain" : ""}`} ref={place} />;
}
