import { useEffect } from "preact/hooks";
import { TEXT } from "../text.ts";

/** Names the page in the browser's tab and history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – ${TEXT.app.name}`;
  }, [title]);
}
