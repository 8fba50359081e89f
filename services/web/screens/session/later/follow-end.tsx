import { useEffect, useRef, useState } from "preact/hooks";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { useKeys } from "../../../keys.ts";
import { countSince } from "../../../session/describe-entry.ts";
import { TEXT } from "../../../text.ts";
import type { SessionStore } from "../session-store.ts";
import { LATER_TEXT } from "./later-text.ts";

/** From the end of the page, in pixels, within which a reader counts as being there. */
const END_DISTANCE = 80;
/** The page grows in the frame of an event or the next one; later it is the reader who opens an entry. */
const GROWTH_MS = 100;

function isAtEnd(): boolean {
  const { scrollHeight } = document.documentElement;
  return scrollHeight - window.scrollY - window.innerHeight < END_DISTANCE;
}

/**
 * Keeps the end of what is being written in view for a reader who went there, and says how much is new to one who is elsewhere. A page
 * that was only opened stays at its top, whatever is read or arrives.
 */
export function FollowEnd({ store }: { readonly store: SessionStore }) {
  /** The last event that was in view; undefined while the end is. */
  const [seen, setSeen] = useState<number>();
  /** Whether the reader went to the end, and is there. */
  const follows = useRef(false);
  const goToEnd = () => {
    follows.current = true;
    window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  };
  useEffect(() => {
    const note = () => setSeen((before) => (isAtEnd() ? undefined : (before ?? store.fold.view.seq)));
    const scrolled = () => {
      follows.current = isAtEnd() && window.scrollY > 0;
      note();
    };
    const watcher = new ResizeObserver(() => {
      const grew = performance.now() - store.grewAt < GROWTH_MS;
      const { status, followUps } = store.fold.view;
      const isWriting = [status, followUps.at(-1)?.status].some(
        (one) => one !== undefined && !isTerminal(one),
      );
      const isLive = store.at.value === undefined && store.historyEnd.value !== undefined && isWriting;
      if (follows.current && grew && isLive) goToEnd();
      follows.current &&= isAtEnd();
      note();
    });
    watcher.observe(document.body);
    window.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      watcher.disconnect();
      window.removeEventListener("scroll", scrolled);
    };
  }, [store]);
  useKeys({ End: [TEXT.session.keys.end, goToEnd] });
  const historyEnd = store.historyEnd.value;
  if (seen === undefined || store.at.value !== undefined || historyEnd === undefined) return null;
  const added = countSince(store.view.value, Math.max(seen, historyEnd));
  if (added === 0) return null;
  return (
    <button type="button" class="button primary follow-end" onClick={goToEnd}>
      {LATER_TEXT.session.newEntries(added)}
    </button>
  );
}
